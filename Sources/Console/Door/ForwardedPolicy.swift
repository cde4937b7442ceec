import HTTPTypes
import PushModel

/// Whose word counts about where a request comes from: that of the proxies in the settings, and nobody else's.
struct ForwardedPolicy: Sendable {
    /// Addresses and networks of proxies (`console.proxies`).
    var proxies: [AddressRange]
    /// The field in which they name the person (`console.userHeader`). nil: persons sign in here.
    var userHeader: HTTPField.Name?

    /// - Parameter address: the other end of the connection. nil: not known, so it is no proxy.
    /// - Throws: `DoorRefusal` with 403 when somebody else than a proxy says what only proxies may say, or a proxy
    ///   contradicts itself.
    func arrival(of request: HTTPRequest, from address: IPAddress?) throws(DoorRefusal) -> Arrival {
        let host = request.authority ?? ""
        guard let address, isProxy(address) else {
            try refuseClaims(in: request.headerFields)
            return Arrival(
                scheme: request.scheme, host: Self.plain(host, request.scheme), hosts: [host], client: address)
        }
        let claims = try claims(in: request.headerFields, behind: address)
        let hosts = claims.hosts
        return Arrival(
            scheme: claims.scheme, host: Self.plain(hosts.first ?? host, claims.scheme), hosts: [host] + hosts,
            client: client(claims.clients, behind: address), personName: try personName(in: request.headerFields))
    }

    private func isProxy(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }

    private func refuseClaims(in fields: HTTPFields) throws(DoorRefusal) {
        for field in fields {
            let name = field.name.canonicalName
            guard name == "forwarded" || name.hasPrefix("x-forwarded-") || name == "via" || field.name == userHeader
            else { continue }
            throw DoorRefusal(
                status: 403,
                words: "The request has \(field.name.rawName), but does not come from a proxy of this console. If it "
                    + "does, its address is missing in console.proxies.")
        }
    }

    private func claims(in fields: HTTPFields, behind proxy: IPAddress) throws(DoorRefusal) -> ForwardedClaims {
        guard let standard = try ForwardedClaims(standard: fields) else {
            return try ForwardedClaims(usual: fields) ?? ForwardedClaims()
        }
        guard let usual = try ForwardedClaims(usual: fields) else { return standard }
        // A proxy that writes one of them may pass on the other as the client sent it.
        let bothNameClients = !standard.clients.isEmpty && !usual.clients.isEmpty
        guard !bothNameClients || client(standard.clients, behind: proxy) == client(usual.clients, behind: proxy),
            Self.agree(standard.hosts.first, usual.hosts.first), Self.agree(standard.scheme, usual.scheme)
        else {
            throw DoorRefusal(
                status: 403,
                words: "Forwarded and X-Forwarded-… contradict each other. The proxy has to remove those that "
                    + "it does not write.")
        }
        return ForwardedClaims(
            clients: usual.clients.isEmpty ? standard.clients : usual.clients, hosts: standard.hosts + usual.hosts,
            scheme: usual.scheme ?? standard.scheme)
    }

    private static func agree(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return true }
        return one.lowercased() == other.lowercased()
    }

    /// The last one in the list that is not a proxy of the settings: what is before it, the client may have invented.
    private func client(_ named: [IPAddress?], behind proxy: IPAddress) -> IPAddress {
        var client = proxy
        for next in named.reversed() {
            // Hidden by a proxy that we trust: it stands for its clients.
            guard let next else { return client }
            client = next
            if !isProxy(next) { break }
        }
        return client
    }

    private func personName(in fields: HTTPFields) throws(DoorRefusal) -> String? {
        guard let userHeader else { return nil }
        let names = fields[values: userHeader]
        guard names.count <= 1 else {
            throw DoorRefusal(
                status: 403,
                words:
                    "The request has \(userHeader.rawName) more than once. The proxy has to remove what clients send "
                    + "under that name.")
        }
        guard let name = names.first, !name.isEmpty else {
            throw DoorRefusal(
                status: 403,
                words: "The proxy does not name a person: the request has no \(userHeader.rawName), which "
                    + "console.userHeader asks for.")
        }
        return name
    }

    /// Without the port that browsers leave out.
    private static func plain(_ host: String, _ scheme: String?) -> String {
        let host = host.lowercased()
        if scheme != "https", host.hasSuffix(":80") { return String(host.dropLast(3)) }
        if scheme != "http", host.hasSuffix(":443") { return String(host.dropLast(4)) }
        return host
    }
}
