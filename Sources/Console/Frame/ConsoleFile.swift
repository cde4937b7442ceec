import HTTPServer
import Pages

/// The files that pages of the console load.
enum ConsoleFile {
    static let style = [
        SharedStyle.base, SharedStyle.top, SharedStyle.phone, SharedStyle.motion, SharedStyle.hues, SharedStyle.card,
        SharedStyle.panel, SharedStyle.table, SharedStyle.form, EmbeddedFiles.console_css,
    ].joined()
    static let script = [
        SharedScript.parts, SharedScript.copy,
        // Colours and zone, times and ages, and the page asked for again.
        EmbeddedFiles.choices_js, EmbeddedFiles.moments_js, EmbeddedFiles.following_js, EmbeddedFiles.writing_js,
        // Starts the page, so it is last.
        EmbeddedFiles.console_js,
    ].joined().withoutCommentLines.withoutLastLineEnd
    static let icon = EmbeddedFiles.icon_svg.withoutLastLineEnd

    /// - Parameter path: the segments behind the base path.
    /// - Returns: nil: no file has this address.
    static func response(at path: [String]) -> Response? {
        switch path {
        case ["console.css"]: .page(style, as: "text/css")
        case ["console.js"]: .page(script, as: "text/javascript")
        case ["icon.svg"]: .page(icon, as: "image/svg+xml")
        default: nil
        }
    }
}

extension String {
    /// A script without the lines that are comments: those are for people of this repository.
    var withoutCommentLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .joined(separator: "\n")
    }
}
