import Configuration
import CoreMetrics
import Daemon
import Logging
import ProgramSupport
import PushWorker
import Telemetry
import Testing

/// Names that people and libraries choose, on a served page, as the tools of Prometheus read them.
@Suite(.timeLimit(.minutes(10))) struct MetricsPageTests {
    /// Every sign that a hub may have; push.hub takes no others.
    private static let hub = "abcdefghijklmnopqrstuvwxyz-0123456789_"
    /// The key of a run is any text.
    private static let keys = [
        "a \"b\" \\ c", "two\nlines", "tab\tand\rreturn\r\n", "\\n", "\\", "{a=\"b\"} 1", "# EOF", " ",
        "größe 👩‍👩‍👧 \u{2028}\u{85}",
    ]

    private static func registry() -> MetricsRegistry {
        let registry = MetricsRegistry()
        registry.counter(.messages, hub, "accepted", "taken_by_hub").add(3)
        registry.histogram(.messagesPerPost, hub).observe(7)
        _ = registry.add { reading in
            for key in keys { reading.set(1, of: .runState, "spring", key, "running") }
        }
        let libraries = LibraryMetrics(in: registry, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for (n, key) in keys.enumerated() {
            CoreMetrics.Counter(label: "hits \(key)", dimensions: [(key, key)], factory: libraries).increment()
            CoreMetrics.Counter(label: "hits", dimensions: [("k\(n % 2)", key)], factory: libraries).increment()
        }
        CoreMetrics.Timer(label: "wait", dimensions: [("le", "1")], factory: libraries).recordSeconds(2)
        Recorder(label: "size", factory: libraries).record(-3)
        return registry
    }

    private static func page(of registry: MetricsRegistry, _ accept: String) async throws -> String {
        let server = HealthServer(ListenAddress(host: "127.0.0.1", port: 0), metrics: registry, report: nil)
        let address = try await server.start()
        let page = await Loopback.get("/metrics", port: address.port, headers: ["Accept": accept])
        await server.stop()
        return try #require(page).body
    }

    @Test(.enabled(if: Tool.readers.isExpected, Tool.advice)) func bothParsersReadEveryName() async throws {
        let registry = Self.registry()
        let plain = try await MetricsParser.plain.samples(Self.page(of: registry, "text/plain"))
        let open = try await MetricsParser.openMetrics.samples(
            Self.page(of: registry, "application/openmetrics-text; version=1.0.0"))
        #expect(plain == open)
        #expect(plain["fanfare_messages_total{hub=\(Self.hub),reason=taken_by_hub,status=accepted}"] == 3)
        #expect(plain["fanfare_messages_per_post_sum{hub=\(Self.hub)}"] == 7)
        for (n, key) in Self.keys.enumerated() {
            #expect(plain["fanfare_run_state{campaign=spring,run=\(key),state=running}"] == 1, "\(key)")
            let labels = n % 2 == 0 ? "k0=\(key),k1=" : "k0=,k1=\(key)"
            #expect(plain["hits_total{\(labels)}"] == 1, "\(key)")
        }
        #expect(plain.filter { $0.key.hasPrefix("hits_") }.values.reduce(0, +) == Double(2 * Self.keys.count))
        #expect(plain["wait_seconds_bucket{exported_le=1,le=2.5}"] == 1)
        #expect(plain["size_sum{}"] == 0 && plain["size_count{}"] == 1)
    }

    @Test(.enabled(if: Tool.promtool.isExpected, Tool.advice)) func promtoolReadsEveryName() async throws {
        let checked = try await Tool.promtool(
            ["check", "metrics"], input: try await Self.page(of: Self.registry(), "text/plain"))
        // 3: it reads the page, and has advice about the names of libraries.
        #expect([0, 3].contains(checked.status), "\(checked)")
    }
}
