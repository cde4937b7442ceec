import HTTPServer
import HTTPTypes
import Pages

/// What doors answer: pages without a frame, because nobody is signed in, and redirects.
struct DoorPages: Sendable {
    let options: ConsoleOptions

    var home: String { address([]) }

    func address(_ path: [String], _ fields: [(String, String?)] = []) -> String {
        ConsoleAddress.text(base: options.basePath, path, fields)
    }

    /// - Parameters:
    ///   - problem: why the last try failed; nil: there was none.
    ///   - name: what was typed.
    ///   - to: where to go afterwards.
    func signIn(status: Int = 200, problem: String? = nil, name: String = "", to: String?) -> Response {
        let view = SignInView(
            problem: problem ?? "", action: address(["sign-in"]), to: to ?? home, typedName: String(name.prefix(200)))
        return page("Sign in", ConsoleTemplates.bare(view, "sign-in"), status)
    }

    /// A page with words, and a link to the page where one signs in.
    ///
    /// - Parameter to: where to go after that; nil: there is no such link.
    func closed(_ title: String, _ words: String, status: Int, signInTo to: String? = nil) -> Response {
        let view = ClosedView(
            closedWords: words, wayOnAddress: to.map { signInAddress(to: $0) } ?? "", wayOnName: "Sign in")
        return page(title, ConsoleTemplates.bare(view, "closed"), status)
    }

    func refused(_ refusal: DoorRefusal) -> Response { closed("Not possible", refusal.words, status: refusal.status) }

    /// - Parameter to: an address of this console.
    func signInAddress(to: String?) -> String { address(["sign-in"], [("to", to == home ? nil : to)]) }

    /// With GET, whatever the method was (303, RFC 9110 section 15.4.4).
    func redirect(to address: String) -> Response {
        var response = Response.page("", status: 303)
        response.headers[.location] = address
        return response
    }

    /// - Parameter methods: as `Allow` has them: `GET, HEAD`.
    func onlyBy(_ methods: String) -> Response {
        var response = closed("Not possible", "This address takes \(methods) alone.", status: 405)
        response.headers[.allow] = methods
        return response
    }

    private func page(_ title: String, _ html: String, _ status: Int) -> Response {
        let view = BareView(
            windowTitle: ([title, options.name, "Fanfare"].filter { !$0.isEmpty }).joined(separator: " – "),
            pageTitle: title, consoleName: options.name, styleAddress: address(["console.css"]),
            iconAddress: address(["icon.svg"]), pageContent: html)
        return .page(ConsoleTemplates.bare(view, "bare"), status: status)
    }
}

/// A page without navigation.
struct BareView {
    let windowTitle: String
    let pageTitle: String
    let consoleName: String
    let styleAddress: String
    let iconAddress: String
    /// Made by the page's own template.
    let pageContent: String
}

struct SignInView {
    let problem: String
    let action: String
    let to: String
    let typedName: String
}

struct ClosedView {
    let closedWords: String
    let wayOnAddress: String
    let wayOnName: String
}
