import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct RequestURLTests {
    @Test(arguments: [
        "https://ns.servicebus.windows.net/hub/messages/", "HTTPS://ns.example:8443/", "http://127.0.0.1:8099/",
        "http://127.1.2.3/", "http://127.1/", "http://[::1]:80/", "http://localhost/", "http://LOCALHOST:1/",
    ])
    func theseAreAccepted(url: String) throws {
        _ = try KnownURLs(allowsPlainHTTP: true).target(for: url)
    }

    @Test(arguments: [
        ("http://example.com/", Int32(1)), ("http://128.0.0.1/", 1), ("http://localhost.example.com/", 1),
        ("http://127.0.0.1.example.com/", 1), ("http://127.0.0.1@example.com/", 1), ("http://user:pw@127.0.0.1/", 1),
        ("https://user@example.com/", 1), ("http://[::2]/", 1), ("http://[::ffff:127.0.0.1]/", 1),
        ("ftp://127.0.0.1/", 1),
        ("file:///etc/passwd", 3), ("127.0.0.1:8099/", 3), ("", 3), ("https://", 3),
        ("http://127.0.0.1\0.example.com/", 3),
        ("https://a b/", 3), ("https://ns.example/\r\nX: 1", 3),
    ])
    func theseAreRefused(url: String, code: Int32) {
        let fault = #expect(throws: Reply.Fault.self) { try KnownURLs(allowsPlainHTTP: true).target(for: url) }
        #expect(fault?.code == code, "\(url)")
        #expect(fault?.text.contains("pw") == false)
    }

    @Test func plainHTTPCanBeSwitchedOff() {
        #expect(throws: Reply.Fault.self) { try KnownURLs(allowsPlainHTTP: false).target(for: "http://127.0.0.1/") }
    }

    /// For a client whose requests carry no secret. What is refused for another reason still is.
    @Test func plainHTTPCanBeAllowedAnywhere() throws {
        var settings = TransportSettings()
        #expect(settings.refusal(of: "http://collector:4318/") == "http:// is for loopback addresses only")
        #expect(settings.refusal(of: "https://collector:4318/") == nil)
        settings.allowPlainHTTPAnywhere = true
        for url in ["http://collector:4318/v1/traces", "http://127.0.0.1:4318/", "https://collector/"] {
            #expect(settings.refusal(of: url) == nil, "\(url)")
        }
        let urls = KnownURLs(settings)
        #expect(try urls.target(for: "http://localhost:4318/").staysHere)
        #expect(try !urls.target(for: "http://collector:4318/").staysHere)
        for url in ["http://user:pw@collector/", "ftp://collector/", "collector:4318"] {
            #expect(settings.refusal(of: url)?.contains("pw") == false, "\(url)")
        }
    }

    @Test func pathsOfOneHostShareItsOrigin() throws {
        let urls = KnownURLs(allowsPlainHTTP: true)
        let one = try urls.target(for: "https://ns.example/a")
        let same = try urls.target(for: "https://ns.example:443/b")
        let other = try urls.target(for: "https://ns.example:444/b")
        #expect(one.origin === same.origin)
        #expect(one.origin !== other.origin)
    }

    @Test func tooManyDistinctURLsAreForgotten() throws {
        let urls = KnownURLs(allowsPlainHTTP: true)
        let first = try urls.target(for: "https://ns.example/0")
        for number in 1...2000 { _ = try urls.target(for: "https://ns.example/\(number)") }
        #expect(try urls.target(for: "https://ns.example/0") !== first)
    }

    /// Each device has a URL of its own, and all of them share the connections of their hub.
    @Test func anOriginKeepsItsConnectionsWhenURLsAreForgotten() throws {
        let urls = KnownURLs(allowsPlainHTTP: true)
        let origin = try urls.target(for: "https://ns.example/0").origin
        origin.connections = 3
        for number in 1..<100_000 { #expect(try urls.target(for: "https://ns.example/\(number)").origin === origin) }
        #expect(try urls.target(for: "https://ns.example/0").origin.connections == 3 && urls.originCount == 1)
    }

    @Test func ofTooManyOriginsThoseWithConnectionsAreKept() throws {
        let urls = KnownURLs(allowsPlainHTTP: true)
        let used = try urls.target(for: "https://used.example/").origin
        used.connections = 1
        let busy = try urls.target(for: "https://busy.example/").origin
        busy.inFlight = 1
        let idle = try urls.target(for: "https://idle.example/").origin
        for number in 0..<3 * KnownURLs.originLimit { _ = try urls.target(for: "https://n\(number).example/") }
        #expect(urls.originCount <= KnownURLs.originLimit)
        #expect(try urls.target(for: "https://used.example/").origin === used)
        #expect(try urls.target(for: "https://busy.example/").origin === busy)
        #expect(try urls.target(for: "https://idle.example/").origin !== idle)
    }

    @Test func aRefusedURLIsAReplyAndNotAnError() async throws {
        try await withClient { client in
            let channel = client.channel()
            channel.submit([request(5, to: "http://example.com/")])
            let replies = await channel.replies()
            #expect(replies.map(\.id) == [5])
            #expect(replies.first?.notSent?.text == "http:// is for loopback addresses only")
            #expect(client.counters.requests == 0)
        }
    }
}
