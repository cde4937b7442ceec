import Foundation
import Testing

@testable import HTTPTransport

/// Whoever cannot show who they are gets to see nothing of a request: no path, no header, no body.
@Suite(.timeLimit(.minutes(2))) struct UntrustedServerTests {
    private static let token = "SharedAccessSignature sr=marked&sig=marked-signature&se=1&skn=marked"

    private static func signed(to url: String) throws -> Request {
        request(to: url, headers: [try HeaderLine("Authorization", token)], body: "marked body")
    }

    /// That `told` would show the token, had it left: a server that is trusted sees it all.
    @Test func aServerThatIsTrustedSeesTheToken() async throws {
        let server = try TLSServer(as: .listening)
        try await withLoop({
            $0.caBundle = server.certificate.path
            $0.timeout = .seconds(2)  // it never answers
        }) { loop in
            var reply = await loop.perform(try Self.signed(to: server.url))
            while reply.notSent != nil { reply = await loop.perform(try Self.signed(to: server.url)) }
            #expect(reply.unknown != nil, "\(reply.outcome)")
        }
        let told = try server.told("marked body")
        #expect(told.contains(Self.token))
    }

    @Test func aSelfSignedCertificateIsRefusedBeforeAnythingLeaves() async throws {
        try await expectNothingLeaves(to: try TLSServer(as: .listening), trusted: false, code: 60)
    }

    @Test func aCertificateForAnotherNameIsRefusedBeforeAnythingLeaves() async throws {
        try await expectNothingLeaves(to: try TLSServer(names: "DNS:ns.example", as: .listening), code: 60)
    }

    @Test func anExpiredCertificateIsRefusedBeforeAnythingLeaves() async throws {
        try await expectNothingLeaves(to: try TLSServer(isExpired: true, as: .listening), code: 60)
    }

    @Test func aServerThatSpeaksNothingNewerThanTLS11IsRefusedBeforeAnythingLeaves() async throws {
        try await expectNothingLeaves(to: try TLSServer(as: .old), code: 35)
    }

    private func expectNothingLeaves(to server: TLSServer, trusted: Bool = true, code: Int32) async throws {
        try await withLoop({ if trusted { $0.caBundle = server.certificate.path } }) { loop in
            let reply = await loop.perform(try Self.signed(to: server.url))
            #expect(reply.notSent?.code == code, "\(reply.outcome)")
        }
        let told = try server.told("CONNECTION CLOSED")
        #expect(!told.contains("marked"), "\(told)")
        #expect(!told.contains("POST"), "\(told)")
    }

    /// A gateway on the way that redirects elsewhere, to plain text too: nobody there hears of the request.
    @Test(arguments: [301, 302, 307, 308]) func aRedirectHandsTheTokenToNobody(status: Int) async throws {
        let elsewhere = try LoopbackServer.answering()
        let target = elsewhere.url
        let server = try LoopbackServer { peer in
            while peer.read() != nil {
                peer.send("HTTP/1.1 \(status) Moved\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await withLoop { loop in
            let reply = await loop.perform(try Self.signed(to: server.url))
            #expect(reply.status == status)
        }
        #expect(elsewhere.accepted.count == 0)
    }

    /// 401 with a challenge, as proxies and servers send it: libcurl answers none of them by itself.
    @Test func aChallengeIsAnsweredWithNothing() async throws {
        let server = try LoopbackServer { peer in
            while peer.read() != nil {
                peer.send(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nWWW-Authenticate: NTLM\r\n"
                        + "Set-Cookie: a=b; Path=/\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try await withLoop { loop in
            for _ in 1...2 {
                let reply = await loop.perform(try Self.signed(to: server.url))
                #expect(reply.status == 401)
            }
        }
        #expect(server.received.count == 2)
        #expect(server.received.all.allSatisfy { !$0.headers.contains { $0.lowercased().hasPrefix("cookie") } })
    }

    /// There is no way to say "do not verify": not by a setting, not by the environment.
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
            let loop = try HTTPClient()
            let reply = await loop.perform(request(to: server.url))
            await loop.shutdown()
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }
}
