import HTTPTypes
import Signing

/// `/{hub}/registrations`, `/{hub}/registrationids` and `/{hub}/tags/{tag}/registrations`: registrations made, read,
/// changed, deleted and listed, and those an installation is listed as (notification-hubs.md section 8).
struct RegistrationRoutes: Sendable {
    let now: @Sendable () -> Double

    /// In one page, unless `$top` says less, and the most it may say.
    static let pageLimit = 100

    /// nil: the address is no registration's.
    func answer(_ call: EmulatorRequest, hub: Hub, body content: UploadedBody) -> Response? {
        guard let address = Address(call.segments.dropFirst()) else { return nil }
        var answer: Response
        do throws(ServiceError) {
            // An app may care for registrations it knows the id or the handle of, and only Manage sees the others'
            // (notification-hubs-push-notification-security).
            try hub.authorise(call, for: address.isOwn(call) ? [.listen, .manage] : [.manage], now: now())
            answer = try respond(call, hub, address, content.bytes)
            answer.headers[.trackingID] = FakeIDs.tracking()
        } catch {
            answer = .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        return answer
    }

    private enum Address {
        case all
        case one(String)
        case newID
        case tag(String)

        init?(_ path: ArraySlice<String>) {
            let path = Array(path)
            switch (path.first?.lowercased(), path.count, path.last?.lowercased()) {
            case ("registrations", 1, _): self = .all
            case ("registrations", 2, _): self = .one(path[1])
            case ("registrationids", 1, _): self = .newID
            case ("tags", 3, "registrations"): self = .tag(path[1])
            default: return nil
            }
        }

        func isOwn(_ call: EmulatorRequest) -> Bool {
            switch self {
            case .one, .newID: true
            case .all: call.method == .post || call.parameter("$filter") != nil
            case .tag: false
            }
        }
    }

    private func respond(
        _ call: EmulatorRequest, _ hub: Hub, _ address: Address, _ body: [UInt8]?
    ) throws(ServiceError) -> Response {
        switch (address, call.method) {
        case (.all, .get): return try list(call, hub, try choice(call))
        case (.tag(let tag), .get): return try list(call, hub, .tag(tag.lowercased()))
        case (.newID, .post):
            let query = call.parameter("api-version").map { "?api-version=\(PercentEncoding.encode($0))" } ?? ""
            var answer = Response.xml(201)
            answer.headers[.location] =
                "\(call.origin)/\(hub.name)/registrations/\(hub.reserveRegistrationID())\(query)"
            return answer
        case (.all, .post):
            let made = try hub.create(try read(body))
            return entry(made, call, at: "/\(made.id)")
        case (.one(let id), .get):
            guard let registration = hub.registration(id) else { throw .noSuchRegistration }
            return entry(registration, call)
        case (.one(let id), .put):
            return entry(try hub.put(try read(body), id: id, match: call[.ifMatch]), call)
        case (.one(let id), .delete):
            try hub.deleteRegistration(id, match: call[.ifMatch])
            return .xml(200)
        default: throw .methodNotAllowed
        }
    }

    private func read(_ body: [UInt8]?) throws(ServiceError) -> RegistrationBody {
        guard let body else { throw .tooLarge }
        do throws(EmulatorError) {
            return try RegistrationBody(xml: body)
        } catch {
            throw ServiceError(error)
        }
    }

    private func choice(_ call: EmulatorRequest) throws(ServiceError) -> RegistrationChoice {
        guard let text = call.parameter("$filter") else { return .all }
        guard let filter = RegistrationFilter(text) else {
            throw .badRequest("The $filter is not a comparison of a handle: ChannelUri eq '...'.")
        }
        return .channel(filter)
    }

    private func list(_ call: EmulatorRequest, _ hub: Hub, _ choice: RegistrationChoice) throws(ServiceError)
        -> Response
    {
        let top = try top(call)
        var mark: RegistrationMark?
        if let token = call.parameter("continuationtoken"), !token.isEmpty {
            mark = RegistrationMark(token: token)
            guard mark != nil else { throw .badRequest("The continuation token is not valid.") }
        }
        let found = hub.registrations(after: mark, limit: top + 1, where: choice)
        let page = found.prefix(top)
        let next = found.count > top ? page.last?.mark.token : nil
        // As recorded: the token, which the header has encoded once, is encoded again.
        let version = call.parameter("api-version").map { "api-version=\(PercentEncoding.encode($0))&" } ?? ""
        let filter = call.parameter("$filter").map { "%24filter=\(PercentEncoding.encode($0))&" } ?? ""
        let following = next.map {
            "\(version)\(filter)%24top=\(top)&continuationtoken=\(PercentEncoding.encode($0))"
        }
        var answer = Response(
            status: 200, headers: [.contentType: "application/atom+xml; type=feed; charset=utf-8"],
            body: xml(call).feed(page.map(\.registration), next: following))
        answer.headers[.continuationToken] = next
        return answer
    }

    private func top(_ call: EmulatorRequest) throws(ServiceError) -> Int {
        guard let text = call.parameter("$top") else { return Self.pageLimit }
        guard let top = Int(text), top > 0 else { throw .badRequest("$top must be a whole number above 0.") }
        return min(top, Self.pageLimit)
    }

    /// - Parameter suffix: what follows the request's own path in that of the registration.
    private func entry(_ registration: Registration, _ call: EmulatorRequest, at suffix: String = "") -> Response {
        Response(
            status: 200,
            headers: [
                .contentType: "application/atom+xml; type=entry; charset=utf-8", .eTag: registration.etag,
            ], body: xml(call, suffix).entry(registration))
    }

    private func xml(_ call: EmulatorRequest, _ suffix: String = "") -> RegistrationXML {
        RegistrationXML(
            address: call.origin + call.path + suffix, query: call.rawQuery,
            time: CivilTime(secondsSince1970: now()))
    }
}
