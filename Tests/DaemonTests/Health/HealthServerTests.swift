import Configuration
import Foundation
import PushWorker
import SocketSupport
import Telemetry
import Testing

@testable import Daemon

/// The pages over a real socket, with raw bytes; what `HTTPServerTests` prove of HTTP itself is not repeated here.
@Suite(.timeLimit(.minutes(10))) struct HealthServerTests {
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
        let client = try Client(port: port)
        try await client.write(request)
        return await client.rest()
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
    ]

    @Test(arguments: requests.keys.sorted())
    func aBadRequestEndsTheConnection(fault: String) async throws {
        let (request, answer) = try #require(Self.requests[fault])
        try await serve { port in
            #expect(try await ask(request, port: port).hasPrefix(answer))
            let next = try await ask("GET /livez HTTP/1.0\r\n\r\n", port: port)
            #expect(next.hasSuffix("ok\n"), "it no longer answers")
        }
    }

    /// More than the server keeps open, as many as a stranger likes: the probe gets its place, and its answer.
    @Test func aProbeIsAnsweredBesideAThousandIdleConnections() async throws {
        try await serve { port in
            var strangers: [Client] = []
            for _ in 1...10 {
                for _ in 1...100 { strangers.append(try Client(port: port)) }
                let answer = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
                #expect(answer.hasSuffix("ok\n"))
            }
            withExtendedLifetime(strangers) {}
        }
    }

    /// Those who began a request and do not end it are idle, too.
    @Test func aProbeIsAnsweredBesideRequestsThatNeverEnd() async throws {
        try await serve { port in
            let strangers = try (1...200).map { _ in try Client(port: port) }
            // Some are closed for others already.
            for stranger in strangers { try? await stranger.write("GET /livez HTTP/1.1\r\nX: ") }
            let answer = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(answer.hasSuffix("ok\n"))
            withExtendedLifetime(strangers) {}
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
            let clients = try (1...64).map { _ in try Client(port: port) }
            for client in clients { try await client.write(Self.lastScrape) }
            for client in clients { #expect(await Self.pages(in: client.rest()) == 1) }
        }
    }

    @Test func aScrapeEveryTenMillisecondsOverOneConnectionIsAnswered() async throws {
        try await serveMetrics { port in
            let client = try Client(port: port)
            let reading = Task { await client.rest() }
            for _ in 1...50 {
                try await client.write(Self.scrape)
                try await Task.sleep(for: .milliseconds(10))
            }
            let probe = try await ask("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", port: port)
            #expect(probe.hasSuffix("ok\n"))
            try await client.write(Self.lastScrape)
            #expect(await Self.pages(in: reading.value) == 51)
        }
    }

    /// More of them than the server keeps open. What each gets is bounded: `PipeliningTests` has the proof.
    @Test func clientsThatNeverReadKeepNobodyOut() async throws {
        try await serveMetrics { port in
            let deaf = try (1...70).map { _ in try Client(port: port) }
            for client in deaf { try? await client.write(String(repeating: Self.scrape, count: 20)) }
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
