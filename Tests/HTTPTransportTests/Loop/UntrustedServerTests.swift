import Foundation
import Testing

@testable import HTTPTransport

/// A server that cannot prove who it is sees nothing of a request: no path, no header, no body.
@Suite(.timeLimit(.minutes(10))) struct UntrustedServerTests {
    private static let token = "SharedAccessSignature sr=marked&sig=marked-signature&se=1&skn=marked"

    private static func signed(to url: String) throws -> Request {
        request(to: url, headers: [try HeaderLine("Authorization", token)], body: "marked body")
    }

    /// The control: a trusted server sees everything, so `output(until:)` would show a token that left.
    @Test func aTrustedServerSeesTheToken() async throws {
        let server = try TLSServer(as: .listening)
        try await withClient({
            $0.caBundle = server.certificate.path
            $0.timeout = .seconds(2)  // it never answers
        }) { client in
            var reply = await client.perform(try Self.signed(to: server.url))
            while reply.notSent != nil { reply = await client.perform(try Self.signed(to: server.url)) }
            #expect(reply.unknown != nil, "\(reply.outcome)")
        }
        let output = try server.output(until: "marked body")
        #expect(output.contains(Self.token))
    }

    @Test func aSelfSignedCertificateStopsTheRequest() async throws {
        try await expectNothingLeaves(to: try TLSServer(as: .listening), trusted: false, code: 60)
    }

    @Test func aCertificateForAnotherNameStopsTheRequest() async throws {
        try await expectNothingLeaves(to: try TLSServer(names: "DNS:ns.example", as: .listening), code: 60)
    }

    @Test func anExpiredCertificateStopsTheRequest() async throws {
        try await expectNothingLeaves(to: try TLSServer(isExpired: true, as: .listening), code: 60)
    }

    @Test func aServerLimitedToTLS11StopsTheRequest() async throws {
        try await expectNothingLeaves(to: try TLSServer(as: .old), code: 35)
    }

    private func expectNothingLeaves(to server: TLSServer, trusted: Bool = true, code: Int32) async throws {
        try await withClient({ if trusted { $0.caBundle = server.certificate.path } }) { client in
            let reply = await client.perform(try Self.signed(to: server.url))
            #expect(reply.notSent?.code == code, "\(reply.outcome)")
        }
        let output = try server.output(until: "CONNECTION CLOSED")
        #expect(!output.contains("marked"), "\(output)")
        #expect(!output.contains("POST"), "\(output)")
    }

    /// A gateway redirects elsewhere, to plain text too: that server gets no connection.
    @Test(arguments: [301, 302, 307, 308]) func aRedirectDoesNotGetTheToken(status: Int) async throws {
        let elsewhere = try LoopbackServer.answering()
        let target = elsewhere.url
        let server = try LoopbackServer { peer in
            while peer.read() != nil {
                peer.send("HTTP/1.1 \(status) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await withClient { client in
            let reply = await client.perform(try Self.signed(to: server.url))
            #expect(reply.status == status)
        }
        #expect(elsewhere.accepted.count == 0)
    }

    /// 401 with a challenge, as proxies and servers send it: libcurl does not answer it by itself.
    @Test func aChallengeIsNotAnswered() async throws {
        let server = try LoopbackServer { peer in
            while peer.read() != nil {
                peer.send(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nWWW-Authenticate: NTLM\r\n"
                        + "Set-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await withClient { client in
            for _ in 1...2 {
                let reply = await client.perform(try Self.signed(to: server.url))
                #expect(reply.status == 401)
            }
        }
        #expect(server.received.count == 2)
        #expect(server.received.all.allSatisfy { !$0.headers.contains { $0.lowercased().hasPrefix("cookie") } })
    }

    /// Neither a setting nor the environment can turn verification off.
    @Test func noSettingTurnsVerificationOff() async {
        let settings = Mirror(reflecting: TransportSettings()).children.compactMap(\.label)
        #expect(settings.contains("caBundle"))
        for name in settings {
            let words = name.lowercased()
            for word in ["verif", "insecure", "trust", "peer"] { #expect(!words.contains(word), "\(name)") }
        }
        await #expect(processExitsWith: .success) {
            let server = try TLSServer()
            for (name, value) in [
                ("CURL_CA_BUNDLE", server.certificate.path), ("SSL_CERT_FILE", server.certificate.path),
                ("CURLOPT_SSL_VERIFYPEER", "0"), ("CURL_HOME", "/tmp"),
            ] { setenv(name, value, 1) }
            let client = try HTTPClient()
            let reply = await client.perform(request(to: server.url))
            await client.shutdown()
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }
}
