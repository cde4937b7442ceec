import HTTPTypes
import Pages
import Testing

/// Pages of other sites, and foreign names that resolve to loopback, get nothing.
@Suite struct HostHeaderPolicyTests {
    @Test(arguments: [
        ("127.0.0.1:8099", true), ("localhost:8099", true), ("LOCALHOST", true), ("hub.localhost:8099", true),
        ("[::1]:8099", true), ("127.1.2.3", true), ("192.168.0.7:8099", true), ("evil.example:8099", false),
        ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("evillocalhost", false), ("", false),
        ("[evil]", false), ("[::1", false), ("emulator:8099", false),
        ("127.0.0.1:80@evil.example", false), ("[::1]evil.example", false), ("[::１]", false),
    ])
    func onlyOwnHostNamesAreAccepted(host: String, isOwn: Bool) {
        #expect(HostHeaderPolicy(listening: "127.0.0.1").isOwn(host: host) == isOwn)
    }

    @Test func beyondLoopbackAContainerNameIsAccepted() {
        let check = HostHeaderPolicy(listening: "0.0.0.0")
        #expect(check.isOwn(host: "emulator:8099") && !check.isOwn(host: "evil.example"))
        #expect(HostHeaderPolicy(listening: "hub.test").isOwn(host: "hub.test:1"))
    }

    @Test(arguments: [
        ("localhost", true), ("127.0.0.1:1", true), ("127.9.9.9", true), ("[::1]:1", true), ("console.example:1", true),
        ("CONSOLE.example", true), ("pushes.example:8443", true), ("inside", true), ("10.0.0.1:1", true),
        ("pushes.example", false), ("outside", false), ("10.0.0.2", false), ("[2001:db8::1]", false), ("", false),
        ("127.evil.example", false), ("127.0.0.1.evil.example", false), ("evil.example", false),
    ])
    func listedNamesAreAcceptedAndNoOthers(host: String, isOwn: Bool) {
        let names = ["Console.example", "pushes.example:8443", "inside"]
        #expect(HostHeaderPolicy(listening: "10.0.0.1", others: .listed(names)).isOwn(host: host) == isOwn)
    }

    @Test func theAddressThatItListensOnMayBeIPv6() {
        #expect(HostHeaderPolicy(listening: "2001:db8::1", others: .listed([])).isOwn(host: "[2001:DB8::1]:1"))
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.get, "127.0.0.1:1", "http://evil.example", nil),
            (.head, "127.0.0.1:1", "http://evil.example", nil),
            (.post, "127.0.0.1:1", nil, nil), (.post, "127.0.0.1:1", "HTTP://127.0.0.1:1", nil),
            (.post, "127.0.0.1:1", "http://127.0.0.1:2", .origin("http://127.0.0.1:2")),
            (.post, "127.0.0.1:1", "https://127.0.0.1:1", .origin("https://127.0.0.1:1")),
            (.delete, "127.0.0.1:1", "null", .origin("null")),
            (.get, "evil.example", nil, .host("evil.example")),
            // A name of its own does not make a foreign page one of ours.
            (.post, "evil.example", "http://evil.example", .host("evil.example")),
        ] as [(HTTPRequest.Method, String, String?, HostHeaderPolicy.Refusal?)])
    func onlyOwnPagesChangeSomething(
        method: HTTPRequest.Method, host: String, origin: String?, refusal: HostHeaderPolicy.Refusal?
    ) {
        let policy = HostHeaderPolicy(listening: "127.0.0.1")
        #expect(policy.refusal(method: method, host: host, site: "http://\(host)", origin: origin) == refusal)
    }
}
