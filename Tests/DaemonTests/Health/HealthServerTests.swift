import Configuration
import Foundation
import Glibc
import PushWorker
import Telemetry
import Testing

@testable import Daemon

/// The server over a real socket, with raw bytes. A server that never answers ends at the time limit.
@Suite(.timeLimit(.minutes(10))) struct HealthServerTests {
    /// A blocking connection to 127.0.0.1.
    private final class Peer: Sendable {
        private let descriptor: Int32

        init(port: Int) throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(code == 0)
        }

        deinit { close(descriptor) }

        func send(_ text: String) { _ = Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL)) }

        /// Everything until the other side closes. Reads on its own thread, because it blocks and the server needs the
        /// threads that run tests.
        func read() async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: self.received()) }
            }
        }

        private func received() -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                if count <= 0 { break }
                bytes += buffer[..<count]
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Limits of time that no test reaches, however long the machine lets it wait.
    private static let patient = HealthServer.Limits(firstByteSeconds: 600, requestSeconds: 600, idleSeconds: 600)

    private func serve(limits: HealthServer.Limits = patient, _ body: (Int) async throws -> Void) async throws {
        let server = HealthServer(ListenAddress(host: "127.0.0.1", port: 0), limits: limits) { probe in
            HealthReport([.init(probe.rawValue, isGood: probe != .readyz, says: "as asked")])
        }
        try await body(try await server.start().port)
        await server.stop()
    }

    private func ask(_ request: String, port: Int) async throws -> String {
        let peer = try Peer(port: port)
        peer.send(request)
        return await peer.read()
    }

    @Test func everyPageAnswersAndHEADHasNoBody() async throws {
        try await serve { port in
            let first = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n") && first.contains("Cache-Control: no-store\r\n"))
            #expect(first.hasSuffix("\r\n\r\nok\n"))
            let second = try await ask("HEAD /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(second.hasPrefix("HTTP/1.1 503 ") && second.hasSuffix("\r\n\r\n"))
            #expect(second.contains("Content-Length: 17\r\n"))
            let third = try await ask("GET /readyz?verbose HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(third.contains(#"{"name":"readyz","status":"failed","says":"as asked"}"#))
        }
    }

    /// Request and start of the answer, by fault.
    private static let requests = [
        "not HTTP": ("rubbish\r\n\r\n", "HTTP/1.1 400 "),
        "another method": (
            "POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 405 "
        ),
        "a body": ("GET /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n", "HTTP/1.1 413 "),
        "a long header": (
            "GET /livez HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n",
            "HTTP/1.1 431 "
        ),
        "a long target": ("GET /\(String(repeating: "x", count: 8_192)) HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 414 "),
        "too many headers": (
            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X: y\r\n", count: 100))\r\n",
            "HTTP/1.1 431 "
        ),
        "too much in all headers": (
            "GET /livez HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "X: \(filler)\r\n", count: 7))\r\n",
            "HTTP/1.1 431 "
        ),
    ]
    private static let filler = String(repeating: "y", count: 10_000)

    /// The limits in SECURITY.md.
    @Test func aRequestWithinItsLimitsIsAnswered() async throws {
        try await serve { port in
            let path = "/" + String(repeating: "x", count: 8_191)
            let lost = try await ask("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(lost.hasPrefix("HTTP/1.1 404 "))
            let many = String(repeating: "X: y\r\n", count: 98) + "X: \(String(repeating: "y", count: 16_000))\r\n"
            let large = String(repeating: "X: \(Self.filler)\r\n", count: 6)
            for fields in [many, large] {
                let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
                let answer = try await ask(request, port: port)
                #expect(answer.hasSuffix("ok\n"))
            }
        }
    }

    @Test(arguments: requests.keys.sorted())
    func aBadRequestEndsTheConnection(fault: String) async throws {
        let (request, answer) = try #require(Self.requests[fault])
        try await serve { port in
            let peer = try Peer(port: port)
            peer.send(request)
            #expect(await peer.read().hasPrefix(answer))
            let other = try Peer(port: port)
            other.send("GET /livez HTTP/1.0\r\n\r\n")
            #expect(await other.read().hasSuffix("ok\n"), "it no longer answers")
        }
    }

    /// More than the server keeps open, as many as a stranger likes: the probe gets its place, and its answer.
    @Test func aProbeIsAnsweredBesideAThousandIdleConnections() async throws {
        try await serve { port in
            var strangers: [Peer] = []
            for _ in 1...10 {
                for _ in 1...100 { strangers.append(try Peer(port: port)) }
                let answer = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
                #expect(answer.hasSuffix("ok\n"))
            }
            withExtendedLifetime(strangers) {}
        }
    }

    /// Those who began a request and do not end it are idle, too.
    @Test func aProbeIsAnsweredBesideRequestsThatNeverEnd() async throws {
        try await serve { port in
            let strangers = try (1...200).map { _ in try Peer(port: port) }
            for stranger in strangers { stranger.send("GET /livez HTTP/1.1\r\nX: ") }
            let answer = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(answer.hasSuffix("ok\n"))
            withExtendedLifetime(strangers) {}
        }
    }

    @Test func theLongestIdleConnectionIsClosedForANewcomer() async throws {
        try await serve { port in
            let first = try Peer(port: port)
            // Event loops take turns: after these, each of them has taken what came before.
            for _ in 1...64 { _ = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port) }
            let others = try (1...64).map { _ in try Peer(port: port) }
            #expect(await first.read().isEmpty)
            for peer in others.suffix(60) { peer.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            for peer in others.suffix(60) { #expect(await peer.read().hasSuffix("ok\n")) }
        }
    }

    @Test func aConnectionThatBringsNothingIsClosedInTime() async throws {
        var limits = Self.patient
        limits.firstByteSeconds = 1
        try await serve(limits: limits) { port in
            let began = ContinuousClock.now
            let silent = try Peer(port: port)
            #expect(await silent.read().isEmpty)
            #expect(ContinuousClock.now - began > .milliseconds(900))  // how much later, the time limit says
        }
    }

    @Test func theLimitsAreThoseOfSECURITY() throws {
        let limits = HealthServer.Limits()
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../SECURITY.md"),
            encoding: .utf8)
        let row =
            "\(limits.connections) connections; \(limits.firstByteSeconds) s to the first byte, \(limits.requestSeconds) s for a request"
        #expect(page.contains(row), "\(row)")
    }

    // MARK: Metrics

    private static let hubs = (1...341).map { "a-z_0-9-\($0)" }

    /// Of 341 hubs, with a series each: a debug build needs a second of CPU for all that such a worker has.
    private func serveMetrics(_ body: (Int) async throws -> Void) async throws {
        let registry = MetricsRegistry()
        for hub in Self.hubs {
            registry.table(.httpResponses, hub, count: 600) { ["\($0)"] }.add(at: 201)
        }
        let server = HealthServer(
            ListenAddress(host: "127.0.0.1", port: 0), metrics: registry, limits: Self.patient
        ) { _ in HealthReport([]) }
        try await body(try await server.start().port)
        await server.stop()
    }

    private static let scrape = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    private static let lastScrape = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    private static func pages(in text: String) -> Int {
        text.components(separatedBy: "\r\n\r\n").dropFirst().count { $0.contains(#"{hub="a-z_0-9-341",code="201"} 1"#) }
    }

    @Test func sixtyFourScrapersAtOnceEachGetAllOfIt() async throws {
        try await serveMetrics { port in
            let peers = try (1...64).map { _ in try Peer(port: port) }
            for peer in peers { peer.send(Self.lastScrape) }
            for peer in peers { #expect(await Self.pages(in: peer.read()) == 1) }
        }
    }

    @Test func aScrapeEveryTenMillisecondsOverOneConnectionIsAnswered() async throws {
        try await serveMetrics { port in
            let peer = try Peer(port: port)
            let reading = Task { await peer.read() }
            for _ in 1...50 {
                peer.send(Self.scrape)
                try await Task.sleep(for: .milliseconds(10))
            }
            let probe = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(probe.hasSuffix("ok\n"))
            peer.send(Self.lastScrape)
            #expect(await Self.pages(in: reading.value) == 51)
        }
    }

    /// More of them than the server keeps open. What each gets is bounded: `HTTPServerTests` has the proof.
    @Test func clientsThatNeverReadKeepNobodyOut() async throws {
        try await serveMetrics { port in
            let deaf = try (1...70).map { _ in try Peer(port: port) }
            for peer in deaf { peer.send(String(repeating: Self.scrape, count: 20)) }
            for _ in 1...10 {
                let answer = try await ask(Self.lastScrape, port: port)
                #expect(Self.pages(in: answer) == 1)
            }
            withExtendedLifetime(deaf) {}
        }
    }

    @Test func aTakenAddressIsNamed() async throws {
        try await serve { port in
            let second = HealthServer(ListenAddress(host: "127.0.0.1", port: port)) { _ in HealthReport([]) }
            do {
                _ = try await second.start()
                Issue.record("two listen on one address")
            } catch {
                #expect("\(error)" == "cannot listen on 127.0.0.1:\(port): address already in use")
            }
        }
    }
}
