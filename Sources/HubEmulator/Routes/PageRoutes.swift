import HTTPTypes

/// `/` and `/_emulator/`: the page with the phones, and what belongs to it.
struct PageRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    /// Nothing from elsewhere, nothing inline, in nobody's frame.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// nil: another desk's address.
    ///
    /// - Throws: `EmulatorError` for a hub or a page there is none of.
    func answer(_ call: EmulatorRequest) throws(EmulatorError) -> Response? {
        let path = call.segments.first == "_emulator" ? Array(call.segments.dropFirst()) : call.segments
        if path.isEmpty {
            guard call.method == .get || call.method == .head else { return InboxRoutes.notTaken(call) }
            return try page(call)
        }
        guard path.count == 2, path[0] == "page" else { return nil }
        switch (call.method, path[1]) {
        case (.get, "style.css"): return Self.file("text/css", PageStyle.source)
        case (.get, "script.js"): return Self.file("text/javascript", PageScript.source)
        case (.get, "icon.svg"): return Self.file("image/svg+xml", PageIcon.source)
        case (.post, "clear"):
            source.book.ledger.clear()
            return Self.back
        case (.post, "clear-warnings"):
            source.admin.warnings.clear()
            return Self.back
        case (.post, "clear-faults"):
            source.admin.faults.clear()
            return Self.back
        default: return nil
        }
    }

    private func page(_ call: EmulatorRequest) throws(EmulatorError) -> Response {
        let number = try query.number("page", call, default: 1, 1...1_000_000)
        let view = source.view(try query.filter(call), page: number)
        return Self.file("text/html", PageTemplates.render(view, "page"))
    }

    private static func file(_ type: String, _ text: String) -> Response {
        var answer = Response(
            status: 200, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
            body: Array(text.utf8))
        answer.headers[.contentSecurityPolicy] = policy
        // With "no-referrer" a browser sends our own forms with `Origin: null`, which is refused.
        answer.headers[.referrerPolicy] = "same-origin"
        return answer
    }

    /// After a form: the page again, so that loading it anew sends no form.
    private static var back: Response {
        Response(status: 303, headers: [.location: "/"])
    }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
