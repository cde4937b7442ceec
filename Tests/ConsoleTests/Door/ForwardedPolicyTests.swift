import HTTPTypes
import PushModel
import Testing

@testable import Console

@Suite struct ForwardedPolicyTests {
    private static let user = HTTPField.Name("X-User")!
    private let policy = ForwardedPolicy(proxies: ["10.0.0.0/8", "2001:db8::/64"].compactMap { AddressRange($0) })
    private let naming = ForwardedPolicy(proxies: [AddressRange("10.0.0.1")!], userHeader: user)

    private func arrival(
        by policy: ForwardedPolicy? = nil, from address: String? = "10.0.0.1", host: String = "console.example",
        _ fields: (String, String)...
    ) throws -> Arrival {
        try (policy ?? self.policy).arrival(
            of: .of(host: host, fields), from: address.flatMap { IPAddress($0) })
    }

    private func refusal(
        by policy: ForwardedPolicy? = nil, from address: String? = "10.0.0.1", _ fields: (String, String)...
    ) -> DoorRefusal? {
        do throws(DoorRefusal) {
            let address = address.flatMap { IPAddress($0) }
            _ = try (policy ?? self.policy).arrival(of: .of(.get, "/", fields), from: address)
            return nil
        } catch {
            return error
        }
    }

    @Test func aRequestWithoutAProxyIsTakenAsItIs() throws {
        let arrival = try self.arrival(from: "192.0.2.7", host: "Console.Example:80")
        #expect(arrival.client == IPAddress("192.0.2.7"))
        #expect(arrival.scheme == "http" && !arrival.isSecure)
        #expect(arrival.host == "console.example" && arrival.hosts == ["Console.Example:80"])
    }

    @Test(
        arguments: [
            "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-anything", "Via", "X-User",
        ], ["127.0.0.1", "192.0.2.7", "::1", nil] as [String?])
    func nobodyElseMaySayWhatOnlyProxiesMay(name: String, address: String?) throws {
        let refusal = try #require(self.refusal(by: naming, from: address, (name, "for=10.0.0.1")))
        #expect(refusal.status == 403)
        #expect(refusal.words.contains(name) && refusal.words.contains("console.proxies"))
    }

    @Test(arguments: [
        // What stands before the last address that is not ours, the client may have invented.
        ("203.0.113.9, 198.51.100.2, 10.0.0.9", "198.51.100.2"), ("198.51.100.2", "198.51.100.2"),
        ("198.51.100.2:4711", "198.51.100.2"), ("[2001:db8:9::1]:4711", "2001:db8:9::1"),
        ("2001:db8:9::1", "2001:db8:9::1"), ("::ffff:198.51.100.2", "198.51.100.2"),
        ("10.0.0.7, 10.0.0.8", "10.0.0.7"), ("unknown, 10.0.0.8", "10.0.0.8"), ("198.51.100.2, garbage", "10.0.0.1"),
        ("", "10.0.0.1"), (", ,198.51.100.2,", "198.51.100.2"),
    ])
    func theClientIsTheLastOneThatIsNoProxy(list: String, client: String) throws {
        #expect(try arrival(("X-Forwarded-For", list)).client == IPAddress(client))
    }

    @Test func severalFieldsAreOneList() throws {
        let arrival = try self.arrival(
            ("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "198.51.100.2, 10.0.0.2"))
        #expect(arrival.client == IPAddress("198.51.100.2"))
    }

    @Test(arguments: [
        ("for=198.51.100.2;proto=https;host=console.example", "198.51.100.2"),
        ("for=203.0.113.9, For=\"[2001:db8:9::1]:4711\" ; Proto=HTTPS;host=console.example", "2001:db8:9::1"),
        ("for=\"_a,b;c\";proto=https;host=\"console.\\example\", for=198.51.100.2", "198.51.100.2"),
        ("for=unknown;proto=https;host=console.example", "10.0.0.1"),
    ])
    func theStandardFieldSaysTheSame(field: String, client: String) throws {
        let arrival = try self.arrival(host: "127.0.0.1:9470", ("Forwarded", field))
        #expect(arrival.client == IPAddress(client) && arrival.isSecure)
        #expect(arrival.host == "console.example" && arrival.hosts == ["127.0.0.1:9470", "console.example"])
    }

    @Test(arguments: [
        ("Forwarded", "for"), ("Forwarded", "for=\"198.51.100.2"), ("Forwarded", "for=19\"8\""),
        ("Forwarded", "for=\"a\"b"),
        ("Forwarded", "proto=javascript"), ("X-Forwarded-Proto", "ftp"),
    ])
    func whatCannotBeReadIsRefused(name: String, value: String) throws {
        #expect(try #require(refusal((name, value))).words.contains(name))
    }

    /// A proxy that writes X-Forwarded-For may pass on a Forwarded of the client.
    @Test func aProxyDoesNotContradictItself() throws {
        #expect(refusal(("Forwarded", "for=203.0.113.9"), ("X-Forwarded-For", "198.51.100.2")) != nil)
        #expect(
            refusal(
                ("Forwarded", "for=203.0.113.9, for=10.0.0.2"),
                ("X-Forwarded-For", "1.1.1.1, 10.0.0.2")) != nil)
        #expect(refusal(("Forwarded", "proto=https"), ("X-Forwarded-Proto", "http")) != nil)
        #expect(refusal(("Forwarded", "host=a.example"), ("X-Forwarded-Host", "b.example")) != nil)
        let agreed = try arrival(
            ("Forwarded", "for=198.51.100.2;host=A.example"), ("X-Forwarded-For", "1.1.1.1, 198.51.100.2"),
            ("X-Forwarded-Host", "a.example"), ("X-Forwarded-Proto", "https"))
        #expect(agreed.client == IPAddress("198.51.100.2") && agreed.isSecure)
    }

    @Test func everyHostThatIsNamedIsLookedAt() throws {
        let arrival = try self.arrival(host: "10.0.0.3:9470", ("X-Forwarded-Host", "evil.example, console.example:443"))
        #expect(arrival.hosts == ["10.0.0.3:9470", "evil.example", "console.example:443"])
    }

    @Test(arguments: [
        ("https", "console.example:443", "console.example"), ("https", "console.example:80", "console.example:80"),
        ("http", "console.example:80", "console.example"), ("http", "[::1]:9470", "[::1]:9470"),
    ])
    func aDefaultPortIsNoOtherHost(scheme: String, host: String, plain: String) throws {
        #expect(try arrival(("X-Forwarded-Proto", scheme), ("X-Forwarded-Host", host)).host == plain)
    }

    @Test func aProxyNamesThePerson() throws {
        #expect(try arrival(by: naming, ("X-User", "ann")).personName == "ann")
        #expect(try arrival(by: naming, from: "192.0.2.7").personName == nil)
        #expect(try arrival(("X-User", "ann")).personName == nil, "no such field is configured")
    }

    @Test func aProxyThatNamesNobodyOrTwoIsRefused() throws {
        #expect(try #require(refusal(by: naming)).words.contains("console.userHeader"))
        #expect(try #require(refusal(by: naming, ("X-User", ""))).words.contains("X-User"))
        #expect(
            try #require(refusal(by: naming, ("X-User", "ann"), ("x-user", "ben"))).words.contains("more than once"))
    }
}
