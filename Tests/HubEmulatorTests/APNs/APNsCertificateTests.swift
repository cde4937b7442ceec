import EmulatorTLS
import HTTPTransport
import Providers
import PushModel
import Signing
import Testing

@testable import HubEmulator

/// APNs by certificate, with the sender that Fanfare has: from the certificate to the phone.
@Suite(.timeLimit(.minutes(10))) struct APNsCertificateTests {
    private static func run(_ body: (APNsFixture) async throws -> Void) async throws {
        var sender = EmulatorSettings.APNsSender("ios", topic: "com.example.MyApp")
        sender.hasCertificate = true
        try await APNsFixture.run({ $0.apnsSenders = [sender] }) { fixture in
            try fixture.phone("alice", "ab01")
            try await body(fixture)
        }
    }

    /// What a push to `ab01` comes to.
    private static func verdict(of shown: TLSIdentity.Client, _ fixture: APNsFixture) async throws -> Verdict {
        let port = try #require(fixture.emulator.securePort)
        let apns = try APNs(topic: nil, environment: .production, endpoint: "https://localhost:\(port)", database: 1)
        let certificate = try ClientCertificate(certificate: shown.certificate, key: shown.key)
        let passes = CertificatePass(certificate, of: APNsCredentials())
        let post = Post(
            messages: [1], target: .handles(["ab01"]), format: "apple",
            body: Array(#"{"aps":{"alert":"Bonjour"}}"#.utf8))
        let request = try apns.request(for: post, id: 1, with: #require(passes.pass(for: apns.host)))
        var settings = TransportSettings()
        settings.http2 = HTTP2Settings()
        settings.caBundle = fixture.authority
        let client = try HTTPClient(settings)
        let reply = await client.perform(request)
        await client.shutdown()
        return apns.answer(to: reply).verdict
    }

    @Test func aPushReachesThePhone() async throws {
        try await Self.run { fixture in
            let certificate = try #require(fixture.emulator.apnsCertificate(of: "ios"))
            #expect(try await Self.verdict(of: certificate, fixture) == .accepted)
            #expect(try fixture.texts(of: "alice") == ["Bonjour"])
        }
    }

    /// The hub is held, and its reason names the alert.
    @Test func aCertificateOfAnotherAuthorityIsForAnOperator() async throws {
        try await Self.run { fixture in
            let authority = try ClientAuthority(topics: ["ios": "com.example.MyApp"])
            let verdict = try await Self.verdict(of: #require(authority.certificates["ios"]), fixture)
            guard case .authFailed(let why) = verdict else {
                Issue.record("\(verdict)")
                return
            }
            #expect(why.hasPrefix("the server refused our client certificate: "), "\(why)")
            #expect(fixture.emulator.journal().isEmpty)
        }
    }
}
