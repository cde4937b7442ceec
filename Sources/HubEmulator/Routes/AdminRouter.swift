import HTTPTypes
import Pages

/// Routes everything that is not a hub: the page at `/`, and `/_emulator/...`. These paths need no key, so the `Host`
/// and `Origin` headers are checked instead.
struct AdminRouter: Sendable {
    let hostPolicy: HostHeaderPolicy
    let page: PageRoutes
    let events: EventRoutes
    let inbox: InboxRoutes
    let reports: ReportRoutes
    let admin: AdminRoutes

    init(_ settings: EmulatorSettings, admin: AdminRoutes, started: ContinuousClock.Instant) {
        hostPolicy = HostHeaderPolicy(listening: settings.host)
        let deviceFinder = DeviceFinder(
            hubs: admin.hubs.values.sorted { $0.name < $1.name }, journal: admin.journal)
        let source = PageSource(
            deviceFinder: deviceFinder, admin: admin, started: started, startedAt: settings.now(), now: settings.now)
        let query = HubQuery(hubs: admin.hubs)
        page = PageRoutes(source: source, query: query)
        events = EventRoutes(source: source, query: query)
        inbox = InboxRoutes(deviceFinder: deviceFinder, query: query)
        reports = ReportRoutes(source: source, query: query)
        self.admin = admin
    }

    /// - Parameter perform: serves a request of the page's form as if it had come over a connection.
    /// - Throws: `CancellationError` when the client disconnects while it waits.
    func answer(
        _ request: EmulatorRequest, body: UploadedBody, perform: PageForms.Perform
    ) async throws -> Response {
        if let refusal = hostPolicy.refusal(of: request) { return refusal }
        var response: Response
        do {
            if let immediate = try page.answer(request) ?? events.answer(request) ?? reports.answer(request)
                ?? inbox.answer(request, body)
            {
                response = immediate
            } else if let form = try await page.forms.answer(request, body, perform: perform) {
                response = form
            } else if let wait = try inbox.wait(request) {
                response = try await wait.answer()
            } else {
                response = try await admin.answer(request, body: body)
            }
        } catch let error as EmulatorError {
            response = AdminRoutes.problem(400, error.description)
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        response.headers[.xContentTypeOptions] = "nosniff"
        return response
    }
}
