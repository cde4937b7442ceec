import HTTPTransport
import Logging
import Telemetry
import Testing

@testable import Daemon

/// What an exporter makes of a collector's answer, and of its settings. What it sends: `SpanTests` of the program.
@Suite(.timeLimit(.minutes(10))) struct SpanExporterTests {
    private static func reply(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> Reply {
        let headers = retryAfter.map { [(name: "retry-after", value: $0)] } ?? []
        return Reply(
            id: 0, outcome: .answered(Reply.Response(status: status, headers: headers, body: Array(body.utf8))))
    }

    @Test func an2xxMayRejectSomeAndAnythingElseTakesNothing() {
        let partial = #"{"partialSuccess":{"rejectedSpans":"3"}}"#
        let away = Reply(id: 0, outcome: .notSent(Reply.Fault(code: 7, text: "refused")))
        let cases: [(Reply, SpanExporter.Answer)] = [
            (Self.reply(200, "{}"), .init()), (Self.reply(202, partial), .init(rejected: 3)),
            (Self.reply(429, partial, retryAfter: "30"), .init(fault: "it answered 429", retryAfter: 30)),
            (Self.reply(503, retryAfter: "Wed, 25 Nov 2026 13:00:00 GMT"), .init(fault: "it answered 503")),
            (Self.reply(307), .init(fault: "it answered 307")), (away, .init(fault: "refused")),
        ]
        for (reply, answer) in cases { #expect(SpanExporter.Answer(reply) == answer) }
    }

    /// No thread, no connection, no counter.
    @Test func withoutACollectorThereIsNone() {
        let metrics = MetricsRegistry()
        let exporter = SpanExporter([:], metrics: metrics, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        #expect(exporter.map { _ in true } == nil)
        let page = String(decoding: MetricsText.page(of: metrics.reading(now: 0), in: .prometheus), as: UTF8.self)
        #expect(page == "")
    }

    /// Ends within its bound, although nobody answers: what is left is dropped.
    @Test func whatIsLeftAtTheEndIsDropped() async throws {
        let metrics = MetricsRegistry()
        let exporter = try #require(
            SpanExporter(
                ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1"], metrics: metrics,
                log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        let result = try await SpanExporter.export(by: exporter) {
            for n in 1...2_000 {
                exporter.sink.add(Span("claim", .init(trace: (1, UInt64(n)), span: 1), seconds: 0, ended: 1, []))
            }
            return 7
        }
        #expect(result == 7 && exporter.sink.isEmpty)
        let page = String(decoding: MetricsText.page(of: metrics.reading(now: 0), in: .prometheus), as: UTF8.self)
        #expect(page.contains("\nfanfare_spans_dropped_total 2000\n"), "\(page)")
    }
}
