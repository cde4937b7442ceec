import Pages
import PushModel

/// Where somebody goes after signing in: an address of this console, and of nobody else.
enum LocalPath {
    /// Longer ones lead to the first page: the address of the sign-in page holds it.
    static let limit = 2_000

    /// - Parameters:
    ///   - text: from a request, so anything.
    ///   - basePath: of the console.
    /// - Returns: the text, if a browser that is sent there stays in this console. nil: it might not.
    static func checked(_ text: String?, below basePath: String) -> String? {
        // A browser takes `\` for `/`, and drops tabs and line ends: `/\evil.example` and `/⇥/evil.example` are other
        // hosts.
        guard let text, text.utf8.count <= limit, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c }),
            text.hasPrefix("/"), !text.hasPrefix("//"), let target = RequestTarget(text),
            !target.segments.contains(where: { $0 == "." || $0 == ".." }),
            let path = Router.segments(of: target, below: basePath), path != ["sign-in"], path != ["sign-out"]
        else { return nil }
        return text
    }
}
