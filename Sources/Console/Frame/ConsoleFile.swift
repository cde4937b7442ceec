import HTTPServer
import Pages

/// The files that pages of the console load.
enum ConsoleFile {
    static let style = [SharedStyle.base, EmbeddedFiles.console_css].joined()
    static let script = [SharedScript.times, EmbeddedFiles.console_js].joined().withoutLastLineEnd
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
