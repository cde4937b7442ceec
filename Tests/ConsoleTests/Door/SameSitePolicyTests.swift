import HTTPTypes
import Testing

@testable import Console

@Suite struct SameSitePolicyTests {
    private func isAllowed(
        _ method: HTTPRequest.Method, scheme: String? = "http", host: String = "console.example",
        _ fields: [(String, String)]
    ) -> Bool {
        do throws(DoorRefusal) {
            let arrival = Arrival(scheme: scheme, host: host, hosts: [host], client: nil, personName: nil)
            try SameSitePolicy.check(.of(method, "/", host: host, fields), arrival)
            return true
        } catch {
            #expect(error.status == 403)
            return false
        }
    }

    @Test(
        arguments: [
            (["Sec-Fetch-Site": "same-origin"], true), (["Sec-Fetch-Site": "cross-site"], false),
            (["Sec-Fetch-Site": "same-site"], false), (["Sec-Fetch-Site": "none"], false),
            (["Sec-Fetch-Site": ""], false),
            ([:], false), (["Origin": "http://console.example"], true), (["Origin": "HTTP://Console.example"], true),
            (["Origin": "null"], false), (["Origin": "http://evil.example"], false),
            (["Origin": "http://console.example:81"], false), (["Origin": "https://console.example"], false),
            (["Origin": "http://console.example.evil.example"], false), (["Origin": "console.example"], false),
            // What the browser knows counts more than what it sends along.
            (["Sec-Fetch-Site": "cross-site", "Origin": "http://console.example"], false),
            (["Referer": "http://console.example/"], false),
        ] as [([String: String], Bool)])
    func onlyOwnPagesChangeSomething(fields: [String: String], isAllowed: Bool) {
        for method in [HTTPRequest.Method.post, .delete, .options] {
            #expect(self.isAllowed(method, fields.map { ($0, $1) }) == isAllowed)
        }
    }

    @Test func twoAnswersOfABrowserAreNone() {
        #expect(!isAllowed(.post, [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "same-origin")]))
    }

    @Test func aProxyThatDoesNotNameTheSchemeMayHaveEither() {
        for scheme in ["http", "https"] {
            #expect(isAllowed(.post, scheme: nil, [("Origin", "\(scheme)://console.example")]))
        }
        #expect(!isAllowed(.post, scheme: nil, [("Origin", "ftp://console.example")]))
        #expect(!isAllowed(.post, scheme: nil, host: "", [("Origin", "http://")]))
    }

    @Test(
        arguments: [
            ([:], true), (["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"], true),
            (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"], true),
            (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"], true),
            (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"], false),
            (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"], false),
            (["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"], false),
            (["Sec-Fetch-Site": "cross-site"], false),
        ] as [([String: String], Bool)])
    func anotherSiteMayLinkAndLoadNothing(fields: [String: String], isAllowed: Bool) {
        #expect(self.isAllowed(.get, fields.map { ($0, $1) }) == isAllowed)
        #expect(self.isAllowed(.head, fields.map { ($0, $1) }) == isAllowed)
    }
}
