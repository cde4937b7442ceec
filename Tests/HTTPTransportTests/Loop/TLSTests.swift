import Foundation
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(2))) struct TLSTests {
    private static let systemBundle = "/etc/ssl/certs/ca-certificates.crt"

    private static var hasSystemBundle: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: systemBundle)  // no file: no bundle
        return (attributes?[.size] as? Int ?? 0) > 100_000
    }

    @Test func aTrustedCertificateIsAccepted() async throws {
        let server = try TLSServer()
        try await withLoop({ $0.caBundle = server.certificate.path }) { loop in
            let reply = await loop.perform(request(to: server.url, method: .get))
            #expect(reply.status == 200, "\(reply.outcome)")
        }
    }

    @Test func anUntrustedCertificateIsNotSent() async throws {
        let server = try TLSServer()
        try await withLoop { loop in
            let reply = await loop.perform(request(to: server.url))
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }

    @Test func aCertificateForAnotherNameIsNotSent() async throws {
        let server = try TLSServer(names: "DNS:ns.example")
        try await withLoop({ $0.caBundle = server.certificate.path }) { loop in
            let reply = await loop.perform(request(to: server.url))
            #expect(reply.notSent?.code == 60, "\(reply.outcome)")
        }
    }

    @Test func aServerThatSpeaksNoTLSIsNotSent() async throws {
        let server = try LoopbackServer { peer in peer.send("220 hello, this is no TLS\r\n") }
        try await withLoop { loop in
            let reply = await loop.perform(request(to: "https://127.0.0.1:\(server.port)/"))
            #expect(reply.notSent?.code == 35, "\(reply.outcome)")
        }
    }

    /// libcurl keeps the parsed bundle between connections only when no certificate directory is set.
    @Test(.enabled(if: hasSystemBundle)) func theBundleIsNotParsedForEveryConnection() async throws {
        let server = try TLSServer()
        let bundle = try server.bundle(with: Self.systemBundle)
        func cpuPerConnection(clearsCAPath: Bool) async throws -> Double {
            try await withLoop({
                $0.caBundle = bundle
                $0.clearsCAPath = clearsCAPath
            }) { loop in
                // The first connection always parses.
                #expect(await loop.perform(request(to: server.url, method: .get)).status == 200)
                let before = loop.counters
                for _ in 1...10 {
                    #expect(await loop.perform(request(to: server.url, method: .get)).status == 200)
                }
                let after = loop.counters
                #expect(after.connectionsOpened - before.connectionsOpened == 10)
                return (after.cpuSeconds - before.cpuSeconds) / 10
            }
        }
        let parsing = try await cpuPerConnection(clearsCAPath: false)
        let cached = try await cpuPerConnection(clearsCAPath: true)
        #expect(parsing >= 2 * cached, "\(parsing * 1000) ms against \(cached * 1000) ms")
    }
}
