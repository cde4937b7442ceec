import HTTPTypes
import Pages

/// `/` and `/_emulator/page/...`: the page with the devices, the pages that go deeper, style, script and icon. `PageForms`
/// has the forms.
struct PageRoutes: Sendable {
    let source: PageSource
    let query: HubQuery

    var tools: ToolPages { ToolPages(source: source) }
    var forms: PageForms { PageForms(source: source, query: query) }

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
        guard path[0] == "page", request.method == .get else { return nil }
        switch path.count == 2 ? path[1] : "" {
        case "style.css": return Self.file("text/css", PageStyle.source)
        case "script.js": return Self.file("text/javascript", PageScript.source)
        case "icon.svg": return Self.file("image/svg+xml", PageIcon.source)
        case "tags": return Self.html(tools.tags(TagsView(source, try query.hub(request), fields(request))))
        case "schedules": return Self.html(tools.schedules())
        case "telemetry": return Self.html(tools.telemetry())
        case "registrations":
            return Self.html(tools.registrations(try query.hub(request), fields(request)))
        case "send": return Self.html(tools.send(SendFormView(source, fields(request))))
        case "phone": return Self.html(tools.phone(PhoneFormView(source, fields(request))))
        default: break
        }
        guard path.count == 3, path[1] == "sends", let number = Int(path[2]) else { return nil }
        guard let html = tools.send(number, at: request.origin) else {
            return Self.html(tools.missingSend(number), status: 404)
        }
        return Self.html(html)
    }

    private func fields(_ request: EmulatorRequest) -> FormFields { FormFields(request.rawQuery.dropFirst()) }

    private func page(_ request: EmulatorRequest) throws(EmulatorError) -> Response {
        let number = try query.number("page", request, default: 1, 1...1_000_000)
        let view = source.view(try query.filter(request), try query.sends(request), page: number)
        return Self.html(PageTemplates.render(view, "page"))
    }

    static func html(_ text: String, status: Int = 200) -> Response { file("text/html", text, status: status) }

    private static func file(_ type: String, _ text: String, status: Int = 200) -> Response {
        .page(text, as: type, status: status, policy: .ownOrInlineImages)
    }
}
