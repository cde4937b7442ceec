import Pages

/// The page's script: one module. The pages are complete without it; it makes them live, filters while one types, and
/// opens a send in place.
///
/// All HTML in the events is rendered by the page's own templates, so the script does not need to escape anything.
enum PageScript {
    static let source = [
        SharedScript.parts, SharedScript.copy, EmbeddedFiles.times_js, EmbeddedFiles.filters_js,
        // What follows the emulator's events.
        EmbeddedFiles.live_js, EmbeddedFiles.phones_js,
        // Starts the page, so it is last.
        EmbeddedFiles.reports_js,
    ].joined().withoutLastLineEnd
}
