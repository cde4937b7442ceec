import HTTPTypes
import Signing

/// `/{hub}/registrations`, `/{hub}/registrationids` and `/{hub}/tags/{tag}/registrations`: creates, reads, changes,
/// deletes and lists registrations, and lists those of installations (docs/wire/notification-hubs.md, "Registrations").
struct RegistrationRoutes: Sendable {
    let now: @Sendable () -> Double

    /// Registrations in one page: the default and the maximum of `$top`.
    static let pageLimit = 100

    /// nil: the path is not one of these.
    func answer(_ request: EmulatorRequest, hub: Hub, body content: UploadedBody) -> Response? {
        guard let address = Address(request.segments.dropFirst()) else { return nil }
        var response: Response
        do throws(ServiceError) {
            // With Listen an app may handle registrations whose id or handle it knows. The others need Manage.
            try hub.authorise(request, for: address.isOwn(request) ? [.listen, .manage] : [.manage], now: now())
            response = try respond(request, hub, address, content.bytes)
            response.headers[.trackingID] = FakeIDs.tracking()
        } catch {
            response = .refusal(error, tracking: FakeIDs.tracking(), at: CivilTime(secondsSince1970: now()))
        }
        return response
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

        func isOwn(_ request: EmulatorRequest) -> Bool {
            switch self {
            case .one, .newID: true
            case .all: request.method == .post || request.parameter("$filter") != nil
            case .tag: false
            }
        }
    }

    private func respond(
        _ request: EmulatorRequest, _ hub: Hub, _ address: Address, _ body: [UInt8]?
    ) throws(ServiceError) -> Response {
        switch (address, request.method) {
        case (.all, .get): return try list(request, hub, try selection(request))
        case (.tag(let tag), .get): return try list(request, hub, .tag(tag.lowercased()))
        case (.newID, .post):
            let id = RegistrationID().text
            var response = Response.xml(201)
            // Location as recorded: .NET and Java look for `registrationids/` in it. The REST page names the other.
            response.headers[.location] = location(request, hub, "registrationids/\(id)")
            response.headers[.contentLocation] = location(request, hub, "registrations/\(id)")
            return response
        case (.all, .post):
            let registration = try hub.create(try read(body))
            var response = entry(registration, request, at: "/\(registration.id)")
            response.headers[.contentLocation] = location(request, hub, "registrations/\(registration.id)")
            return response
        case (.one(let id), .get):
            guard let registration = hub.registration(id) else { throw .noSuchRegistration }
            return entry(registration, request)
        case (.one(let id), .put):
            return entry(try hub.put(try read(body), id: id, match: request[.ifMatch]), request)
        case (.one(let id), .delete):
            try hub.deleteRegistration(id, match: request[.ifMatch])
            return .xml(200)
        default: throw .methodNotAllowed
        }
    }

    /// - Parameter path: below the hub.
    private func location(_ request: EmulatorRequest, _ hub: Hub, _ path: String) -> String {
        let query = request.parameter("api-version").map { "?api-version=\(PercentEncoding.encode($0))" } ?? ""
        return "\(request.origin)/\(hub.name)/\(path)\(query)"
    }

    private func read(_ body: [UInt8]?) throws(ServiceError) -> RegistrationBody {
        guard let body else { throw .tooLarge }
        do throws(EmulatorError) {
            return try RegistrationBody(xml: body)
        } catch {
            throw ServiceError(error)
        }
    }

    private func selection(_ request: EmulatorRequest) throws(ServiceError) -> RegistrationChoice {
        guard let text = request.formParameter("$filter") else { return .all }
        guard let filter = RegistrationFilter(text) else {
            throw .badRequest("The $filter is not a comparison of a handle: ChannelUri eq '...'.")
        }
        return .channel(filter)
    }

    private func list(_ request: EmulatorRequest, _ hub: Hub, _ choice: RegistrationChoice) throws(ServiceError)
        -> Response
    {
        let top = try top(request)
        var cursor: RegistrationCursor?
        if let token = request.parameter("continuationtoken"), !token.isEmpty {
            cursor = RegistrationCursor(token: token)
            guard cursor != nil else { throw .badRequest("The continuation token is not valid.") }
        }
        let registrations = hub.registrations(after: cursor, limit: top + 1, where: choice)
        let page = registrations.prefix(top)
        let next = registrations.count > top ? page.last?.cursor.token : nil
        // As recorded: the token, which is encoded once in the header, is encoded again here.
        let version = request.parameter("api-version").map { "api-version=\(PercentEncoding.encode($0))&" } ?? ""
        let filter = request.formParameter("$filter").map { "%24filter=\(PercentEncoding.encode($0))&" } ?? ""
        let following = next.map {
            "\(version)\(filter)%24top=\(top)&continuationtoken=\(PercentEncoding.encode($0))"
        }
        var response = Response(
            status: 200, headers: [.contentType: "application/atom+xml; type=feed; charset=utf-8"],
            body: xml(request).feed(page.map(\.registration), next: following))
        response.headers[.continuationToken] = next
        return response
    }

    private func top(_ request: EmulatorRequest) throws(ServiceError) -> Int {
        guard let text = request.parameter("$top") else { return Self.pageLimit }
        guard let top = Int(text), top > 0 else { throw .badRequest("$top must be a whole number above 0.") }
        return min(top, Self.pageLimit)
    }

    /// - Parameter suffix: appended to the path of the request to form that of the registration.
    private func entry(_ registration: Registration, _ request: EmulatorRequest, at suffix: String = "") -> Response {
        Response(
            status: 200,
            headers: [
                .contentType: "application/atom+xml; type=entry; charset=utf-8", .eTag: registration.etag,
            ], body: xml(request, suffix).entry(registration))
    }

    private func xml(_ request: EmulatorRequest, _ suffix: String = "") -> RegistrationXML {
        RegistrationXML(
            address: request.origin + request.path + suffix, query: request.rawQuery,
            time: CivilTime(secondsSince1970: now()))
    }
}
