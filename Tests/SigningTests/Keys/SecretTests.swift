import Testing

@testable import Signing

@Suite struct SecretTests {
    private let secret = Secret("hunter2")
    private var token: SASToken {
        SAS.token(resource: "https://h/hub", keyName: "p", key: secret, expiry: 1)
    }

    @Test func aSecretPrintsAsThreeDots() {
        #expect("\(secret)" == "•••")
        #expect(String(describing: secret) == "•••")
        #expect(String(reflecting: secret) == "•••")
        #expect(String(describing: Optional(secret)) == "Optional(•••)")
        #expect("\([secret])" == "[•••]")
    }

    @Test func dumpAndMirrorsShowNothing() {
        var dumped = ""
        dump(["key": secret], to: &dumped)
        #expect(!dumped.contains("hunter2") && dumped.contains("•••"))
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }

    @Test func valuesThatHoldASecretDoNotPrintIt() throws {
        let connection = try ConnectionString(
            parsing: "Endpoint=sb://h/;SharedAccessKeyName=p;SharedAccessKey=hunter2")
        let pass = Pass(header: token.header, number: 1, expiry: 1)
        let policy = SASPolicy(name: "p", key: secret, secondaryKey: secret)
        let signature = try #require(token.header.reveal().split(separator: "&").first { $0.hasPrefix("sig=") })
        for value: Any in [connection, connection.signingKey, policy, token, pass] {
            var dumped = "\(value) \(String(reflecting: value))"
            dump(value, to: &dumped)
            #expect(dumped.contains("•••"))
            #expect(!dumped.contains("hunter2") && !dumped.contains(signature))
        }
    }

    @Test func aSecretRevealsItselfOnlyWhenAsked() {
        #expect(secret.reveal() == "hunter2")
    }

    @Test func secretsAreEqualByTheirBytes() {
        #expect(secret == Secret("hunter2"))
        #expect(secret != Secret("hunter3") && secret != Secret("hunter") && secret != Secret(""))
        #expect(Secret("\u{e9}") != Secret("e\u{301}"), "the same letter, but another key")
        #expect(Secret("") == Secret(""))
    }
}
