import HubEmulator
import PushModel
import TestSupport
import Testing

@testable import PushWorker
@testable import Telemetry

/// The spans of a worker: which trace each is in, and what it links to.
@Suite(.timeLimit(.minutes(10))) struct SpanJourneyTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let one = "00-\(trace)-b7ad6b7169203331-01"
    private static let two = "00-\(trace)-b7ad6b7169203332-01"
    private static let unsampled = "00-\(trace)-b7ad6b7169203333-00"

    private static func spans(of worker: TestWorker) -> [Span] {
        var spans: [Span] = []
        while let sink = worker.spans, !sink.isEmpty { spans += sink.take() }
        return spans
    }

    private static func worker() async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.spans = SpanSink(metrics: worker.metrics, monotonic: Clock.system.monotonic)
        return worker
    }

    @Test func aPostIsInTheTraceThatItsMessagesShareOrElseInThatOfItsClaim() async throws {
        let worker = try await Self.worker()
        // Those of one content share a post.
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, traceparent) VALUES
                ('news', 'a', '{"message": "same"}', \(Self.one)), ('news', 'b', '{"message": "same"}', \(Self.one)),
                ('news', 'a', '{"message": "two"}', \(Self.one)), ('news', 'b', '{"message": "two"}', \(Self.two)),
                ('news', 'a', '{"message": "some"}', \(Self.one)), ('news', 'b', '{"message": "some"}', NULL),
                ('news', 'a', '{"message": "unsampled"}', \(Self.unsampled)), ('news', 'a', '{"message": "none"}', NULL)
            """)
        _ = try await worker.drain()
        let spans = Self.spans(of: worker)
        let claims = spans.filter { $0.name == "claim" }
        let claim = try #require(claims.first)
        #expect(claims.count == 1 && claim.parent == nil && claim.attributes.contains(.init("fanfare.messages", 8)))
        #expect(Set(spans.map(\.context.spanID)).count == spans.count)
        for intent in spans where intent.name == "intent" {
            #expect(intent.parent == claim.context && intent.context.traceID == claim.context.traceID)
        }
        let (one, two) = (try #require(TraceParent(Self.one)), try #require(TraceParent(Self.two)))
        let posts = spans.filter { $0.name == "post" }
        #expect(posts.count == 5 && posts.allSatisfy { $0.fault == nil })
        let (joined, own) = (posts.filter { $0.parent == one }, posts.filter { $0.parent == claim.context })
        #expect(joined.count == 1 && own.count == 4)
        #expect(joined.first?.context.traceID == one.traceID && joined.first?.links == [claim.context])
        #expect(own.allSatisfy { $0.context.traceID == claim.context.traceID })
        let unsampled = try #require(TraceParent(Self.unsampled))
        #expect(Set(own.map(\.links)) == [[one, two], [one], [unsampled], []])
        let completions = spans.filter { $0.name == "complete" }
        #expect(completions.contains { $0.links == [claim.context] })
        #expect(completions.allSatisfy { $0.parent == nil && $0.context.traceID != claim.context.traceID })
        for span in spans { #expect(span.began <= span.ended && span.ended > 1_700_000_000_000_000_000) }
    }

    /// What a message says, and whom it is for, stays here.
    @Test func aRefusedPostIsAnErrorAndTellsNothingOfItsMessage() async throws {
        let worker = try await Self.worker()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, tenant)
            VALUES ('news', 'tag-of-one', '{"message": "content-of-one"}', 'tenant-of-one')
            """)
        _ = try await worker.drain()
        let spans = Self.spans(of: worker)
        let post = try #require(spans.first { $0.name == "post" })
        #expect(post.fault == "rejected")
        for attribute in [
            Span.Attribute("error.type", "400"), .init("http.response.status_code", 400),
            .init("http.request.method", "POST"), .init("server.address", "127.0.0.1"), .init("fanfare.hub", "news"),
            .init("fanfare.messages", 1), .init("messaging.system", "notification-hubs"),
        ] {
            #expect(post.attributes.contains(attribute), "\(attribute)")
        }
        let names = Set(spans.flatMap { $0.attributes.map(\.name) })
        #expect(
            names == [
                "db.system.name", "error.type", "fanfare.hub", "fanfare.messages", "fanfare.post", "fanfare.posts",
                "http.request.method", "http.response.status_code", "messaging.system", "server.address",
            ])
        let text = "\(spans)"
        #expect(!text.contains("-of-one") && !text.contains("Shared"), "\(text)")
    }

    @Test func anIntentThatFailsIsAnError() throws {
        let sink = SpanSink(metrics: MetricsRegistry(), monotonic: { 100 })
        let spans = WorkerSpans(sink, clock: Clock(wall: { 1_000 }, monotonic: { 100 }), seed: 1)
        let hub = try HubContext.make(1, HubSettings(name: "news", hub: "hub"))
        spans.hear(.intended(posts: 3, of: 7, at: hub, began: 99.5, now: 100, isWritten: false))
        let span = sink.take().first
        #expect(span?.fault == "not written" && span?.began == 999_500_000_000 && span?.ended == 1_000_000_000_000)
    }
}
