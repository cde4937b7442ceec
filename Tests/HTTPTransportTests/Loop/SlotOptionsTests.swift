import Foundation
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct SlotOptionsTests {
    private static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    private static var hasSystemBundle: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: systemBundle)  // no file: no bundle
        return (attributes?[.size] as? Int ?? 0) > 100_000
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        let server = try TLSServer()
        try await withClient({ $0.caBundle = server.certificate.path }) { client in
            let reply = await client.perform(request(to: server.url, method: .get))
            #expect(reply.status == 200, "\(reply.outcome)")
        }
    }

    @Test func anUntrustedCertificateIsNotSent() async throws {
        let server = try TLSServer()
        try await withClient { client in
            let reply = await client.perform(request(to: server.url))
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }

    @Test func aCertificateForAnotherNameIsNotSent() async throws {
        let server = try TLSServer(names: "DNS:ns.example")
        try await withClient({ $0.caBundle = server.certificate.path }) { client in
            let reply = await client.perform(request(to: server.url))
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }

    @Test func aServerThatSpeaksNoTLSIsNotSent() async throws {
        let server = try LoopbackServer { peer in peer.send("220 hello, this is no TLS\r\n") }
        try await withClient { client in
            let reply = await client.perform(request(to: "https://127.0.0.1:\(server.port)/"))
            #expect(reply.notSent?.code == 35, "\(reply.outcome)")
        }
    }

    /// libcurl keeps the parsed bundle between connections only when no certificate directory is set.
    @Test(.enabled(if: hasSystemBundle)) func theBundleIsParsedOnce() async throws {
        let server = try TLSServer()
        let bundle = try server.bundle(with: Self.systemBundle)
        func cpuPerConnection(clearsCAPath: Bool) async throws -> Double {
            try await withClient({
                $0.caBundle = bundle
                $0.clearsCAPath = clearsCAPath
            }) { client in
                // The first connection always parses.
                #expect(await client.perform(request(to: server.url, method: .get)).status == 200)
                let before = client.counters
                for _ in 1...10 {
                    #expect(await client.perform(request(to: server.url, method: .get)).status == 200)
                }
                let after = client.counters
                #expect(after.connectionsOpened - before.connectionsOpened == 10)
                return (after.cpuSeconds - before.cpuSeconds) / 10
            }
        }
        let parsing = try await cpuPerConnection(clearsCAPath: false)
        let cached = try await cpuPerConnection(clearsCAPath: true)
        #expect(parsing >= 2 * cached, "\(parsing * 1000) ms against \(cached * 1000) ms")
    }

    @Test func proxiesInTheEnvironmentAreNotUsed() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering("HTTP/1.1 200 OK\r\n\r\n")
            for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy"] {
                setenv(name, "http://127.0.0.1:\(proxy.port)", 1)
            }
            let client = try HTTPClient()
            let reply = await client.perform(request(to: "https://nonexistent.invalid/"))
            await client.shutdown()
            #expect(reply.notSent?.code == 6)
            #expect(proxy.accepted.count == 0)
        }
    }

    @Test func aConfiguredProxyIsUsedButNotForLoopback() async throws {
        let proxy = try LoopbackServer.answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        let server = try LoopbackServer.answering()
        try await withClient({ $0.proxy = "http://127.0.0.1:\(proxy.port)" }) { client in
            let far = await client.perform(request(1, to: "https://nonexistent.invalid/"))
            #expect(far.notSent?.code == 56, "\(far.outcome)")
            #expect(proxy.received.all.map(\.line) == ["CONNECT nonexistent.invalid:443 HTTP/1.1"])
            let near = await client.perform(request(2, to: server.url))
            #expect(near.status == 201)
        }
    }
}
