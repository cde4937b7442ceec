import HTTPTypes
import HummingbirdCore
import Signing

/// `GET /{hub}/registrations`, `/{hub}/registrations/{id}` and `/{hub}/tags/{tag}/registrations`: what there is, so that
/// the installations of a hub can be found (notification-hubs.md section 8). They are made with installations only.
struct RegistrationDesk: Sendable {
    let now: @Sendable () -> Double

    /// In one page, unless `$top` says less, and the most it may say.
    static let pageLimit = 100

    /// nil: the address is no registration's.
    ///
    /// - Throws: what reading the body throws.
    func answer(_ call: Call, hub: Hub, body: RequestBody) async throws -> Answer? {
        let path = call.segments.dropFirst()
        let question: (Call, Hub) throws(ServiceError) -> Answer
        switch (path.first?.lowercased(), path.count, path.last?.lowercased()) {
        case ("registrations", 1, _): question = { call, hub throws(ServiceError) in try list(call, hub, tag: nil) }
        case ("registrations", 2, _): question = one
        case ("tags", 3, "registrations"):
            let tag = call.segments[2]
            question = { call, hub throws(ServiceError) in try list(call, hub, tag: tag) }
        default: return nil
        }
        let content = try await UploadedBody.read(body)
        var answer: Answer
        do throws(ServiceError) {
            // The service's page on security lets an app read its own registration, and only Manage the others'.
            let isOwn = path.first?.lowercased() == "registrations" && path.count == 2
            try hub.authorise(call, for: isOwn ? [.listen, .manage] : [.manage], now: now())
            guard call.method == .get else { throw .notServed }
            answer = try question(call, hub)
            answer.headers[.trackingID] = Identifier.tracking()
        } catch {
            answer = .refusal(error, tracking: Identifier.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        answer.closesConnection = content.isUnfinished
        return answer
    }

    private func list(_ call: Call, _ hub: Hub, tag: String?) throws(ServiceError) -> Answer {
        // Read over, it would list what was not asked for.
        guard call.parameter("$filter") == nil else { throw .notServed }
        let top = try top(call)
        var mark: RegistrationMark?
        if let token = call.parameter("continuationtoken"), !token.isEmpty {
            mark = RegistrationMark(token: token)
            guard mark != nil else { throw .badRequest("The continuation token is not valid.") }
        }
        let found = hub.registrations(after: mark, limit: top + 1, tag: tag)
        let page = Array(found.prefix(top))
        let next = found.count > top ? page.last?.mark.token : nil
        // As recorded: the token, which the header has encoded once, is encoded again.
        let version = call.parameter("api-version").map { "api-version=\(PercentEncoding.encode($0))&" } ?? ""
        let following = next.map { "\(version)%24top=\(top)&continuationtoken=\(PercentEncoding.encode($0))" }
        var answer = Answer(
            status: 200, headers: [.contentType: "application/atom+xml; type=feed; charset=utf-8"],
            body: xml(call).feed(page, next: following))
        answer.headers[.continuationToken] = next
        return answer
    }

    private func top(_ call: Call) throws(ServiceError) -> Int {
        guard let text = call.parameter("$top") else { return Self.pageLimit }
        guard let top = Int(text), top > 0 else { throw .badRequest("$top must be a whole number above 0.") }
        return min(top, Self.pageLimit)
    }

    private func one(_ call: Call, _ hub: Hub) throws(ServiceError) -> Answer {
        guard let registration = hub.registration(call.segments[2]) else { throw .noSuchRegistration }
        return Answer(
            status: 200,
            headers: [
                .contentType: "application/atom+xml; type=entry; charset=utf-8", .eTag: registration.etag,
            ], body: xml(call).entry(registration))
    }

    private func xml(_ call: Call) -> RegistrationXML {
        RegistrationXML(
            address: "http://\(call.host)\(call.path)", query: call.rawQuery,
            time: CivilTime(secondsSince1970: now()))
    }
}
