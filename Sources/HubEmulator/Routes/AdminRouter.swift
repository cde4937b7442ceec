import HTTPTypes

/// Everything that is not the hub: the page at `/`, and `/_emulator/...` beneath it. No key is asked for, so the way
/// in is checked instead.
struct AdminRouter: Sendable {
    let check: HostHeaderPolicy
    let page: PageRoutes
    let events: EventRoutes
    let inbox: InboxRoutes
    let admin: AdminRoutes

    init(_ settings: EmulatorSettings, admin: AdminRoutes, started: ContinuousClock.Instant) {
        check = HostHeaderPolicy(listening: settings.host)
        let book = DeviceSearch(
            hubs: admin.hubs.values.sorted { $0.name < $1.name }, ledger: admin.ledger)
        let source = PageSource(book: book, admin: admin, started: started, now: settings.now)
        let query = HubQuery(hubs: admin.hubs)
        page = PageRoutes(source: source, query: query)
        events = EventRoutes(source: source, query: query)
        inbox = InboxRoutes(book: book, query: query)
        self.admin = admin
    }

    /// - Throws: `CancellationError` when the client goes while it waits.
    func answer(_ call: EmulatorRequest, body: UploadedBody) async throws -> Response {
        if let refusal = check.refusal(of: call) { return refusal }
        var answer: Response
        do {
            if let found = try page.answer(call) ?? events.answer(call) ?? inbox.answer(call, body) {
                answer = found
            } else if let waiting = try inbox.wait(call) {
                answer = try await waiting.answer()
            } else {
                answer = try await admin.answer(call, body: body)
            }
        } catch let error as EmulatorError {
            answer = AdminRoutes.problem(400, error.description)
        }
        if answer.headers[.cacheControl] == nil { answer.headers[.cacheControl] = "no-store" }
        answer.headers[.xContentTypeOptions] = "nosniff"
        return answer
    }
}
