import Testing

@testable import Configuration

@Suite struct ConsoleRulesTests {
    @Test(arguments: [
        ("push.example.com", "push.example.com"), ("Push.Example.COM:8443", "push.example.com:8443"),
        ("localhost", "localhost"), ("10.0.0.5:80", "10.0.0.5:80"), ("[FD00::1]", "[fd00::1]"),
        ("[fd00::1]:443", "[fd00::1]:443"),
    ])
    func aHostIsKeptAsBrowsersWriteIt(text: String, kept: String) {
        #expect(ConsoleRules.host(text) == kept)
    }

    @Test(arguments: [
        "", "https://push.example.com", "push.example.com/", "push.example.com:", "push.example.com:0",
        "push.example.com:080", "push.example.com:65536", "a b", "*.example.com", "fd00::1", "[fd00::1", "[]", "[x]:80",
        "a@b",
        "push.example.com\r\nX: y", String(repeating: "x", count: 254),
    ])
    func anotherTextIsNoHost(text: String) {
        #expect(ConsoleRules.host(text) == nil)
    }

    @Test(arguments: ["", "/pushes", "/a/b", "/~a/b-1_c.d", "/..a"])
    func aBasePathIsOfPlainSegments(path: String) {
        #expect(ConsoleRules.isBasePath(path))
    }

    @Test(arguments: [
        "pushes", "/", "/pushes/", "//pushes", "/a//b", "/.", "/a/../b", "/a b", "/a?b", "/a#b", "/%2e%2e", "/ä",
        "/a;b", "/a\n",
        "/" + String(repeating: "x", count: 200),
    ])
    func aBasePathThatMeansSomethingElseIsRefused(path: String) {
        #expect(!ConsoleRules.isBasePath(path))
    }

    @Test(arguments: ["X-Forwarded-User", "x-forwarded-email", "Remote-User", "X-Auth-Request-User", "Cf-Access-User"])
    func aFieldOfItsOwnNamesThePerson(name: String) {
        #expect(ConsoleRules.isUserHeader(name))
    }

    @Test(arguments: [
        "", "X User", "X_User", "X-User:", "Héader", "Host", "COOKIE", "Authorization", "X-Forwarded-For", "Forwarded",
        "Via", "User-Agent", "Accept-Language", "Sec-Fetch-Site", "Content-Type", "Origin",
        String(repeating: "x", count: 65),
    ])
    func aFieldThatEveryRequestMayHaveNamesNobody(name: String) {
        #expect(!ConsoleRules.isUserHeader(name))
    }
}
