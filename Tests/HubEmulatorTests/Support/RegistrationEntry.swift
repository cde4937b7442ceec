import Testing

/// Bodies of registrations: Atom entries.
enum RegistrationEntry {
    static func entry(_ kind: String, _ elements: String) -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <entry xmlns="http://www.w3.org/2005/Atom"><title/><content type="application/xml">
        <\(kind)RegistrationDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\(elements)\
        </\(kind)RegistrationDescription></content></entry>
        """
    }

    static let phone = entry("Apple", "<Tags>World, Sports</Tags><DeviceToken>AA01</DeviceToken>")
}

extension EmulatorFixture {
    /// A request for registrations, with the headers of the .NET client.
    func registrations(
        _ method: String, _ target: String, _ body: String = "", match: String? = nil, policy: String = "all"
    ) async throws -> Client.Reply {
        var headers = ["Content-Type": "application/atom+xml;type=entry;charset=utf-8"]
        headers["If-Match"] = match
        return try await exchange(request(method, target, token: token(policy), headers: headers, body: body))
    }
}

extension Client.Reply {
    /// The first registration's id.
    func registrationID() throws -> String {
        String(try #require(body.firstMatch(of: /<RegistrationId>([^<]+)</)).output.1)
    }
}
