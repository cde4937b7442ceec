import HTTPTypes

/// `/` and `/_emulator/`: the page with the devices, its style, script, icon and forms.
struct PageRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    /// No external resources, no inline script or style, no embedding in frames.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

    /// nil: the path is not one of these.
    ///
    /// - Throws: `EmulatorError` for an unknown hub or an invalid page number.
    func answer(_ request: EmulatorRequest) throws(EmulatorError) -> Response? {
        let path = request.segments.first == "_emulator" ? Array(request.segments.dropFirst()) : request.segments
        if path.isEmpty {
            guard request.method == .get || request.method == .head else {
                return InboxRoutes.methodNotAllowed(request)
            }
            return try page(request)
        }
        guard path.count == 2, path[0] == "page" else { return nil }
        switch (request.method, path[1]) {
        case (.get, "style.css"): return Self.file("text/css", PageStyle.source)
        case (.get, "script.js"): return Self.file("text/javascript", PageScript.source)
        case (.get, "icon.svg"): return Self.file("image/svg+xml", PageIcon.source)
        case (.post, "clear"):
            source.deviceSearch.journal.clear()
            return Self.redirectToPage
        case (.post, "clear-warnings"):
            source.admin.warnings.clear()
            return Self.redirectToPage
        case (.post, "clear-faults"):
            source.admin.faults.clear()
            return Self.redirectToPage
        default: return nil
        }
    }

    private func page(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let number = try query.number("page", request, default: 1, 1...1_000_000)
        let view = source.view(try query.filter(request), page: number)
        return Self.file("text/html", PageTemplates.render(view, "page"))
    }

    private static func file(_ type: String, _ text: String) -> Response {
        var response = Response(
            status: 200, headers: [.contentType: "\(type); charset=utf-8", .cacheControl: "no-store"],
            body: Array(text.utf8))
        response.headers[.contentSecurityPolicy] = policy
        // With "no-referrer" browsers send our own forms with `Origin: null`, which is refused.
        response.headers[.referrerPolicy] = "same-origin"
        return response
    }

    /// After a form: a redirect to the page, so that a reload does not send the form again.
    private static var redirectToPage: Response {
        Response(status: 303, headers: [.location: "/"])
    }
}

extension HTTPField.Name {
    // The name is a token, so the forced unwrap holds.
    static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
