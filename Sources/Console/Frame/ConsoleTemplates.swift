import Pages

/// The HTML of all pages of the console. All external values are in double braces, which escape them; `pageContent` alone is HTML of
/// our own templates.
enum ConsoleTemplates {
    /// Compiled once.
    private static let library = TemplateLibrary(EmbeddedFiles.all)

    /// By their names.
    static var sources: [(name: String, text: String)] { library.sources }

    /// The whole page.
    static func page(_ content: PageContent, at place: Place?, for visit: Visit) -> String {
        page(content, html: library.render(content.view, content.template), at: place, for: visit)
    }

    /// - Parameter html: of templates.
    static func page(_ content: PageContent, html: String, at place: Place?, for visit: Visit) -> String {
        library.render(FrameView(content, html: html, at: place, for: visit), "frame")
    }

    /// A page without a frame: nobody is signed in.
    static func bare(_ view: Any, _ template: String) -> String { library.render(view, template) }
}
