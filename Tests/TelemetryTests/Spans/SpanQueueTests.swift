import PushModel
import Synchronization
import Testing

@testable import Telemetry

/// When spans leave together, and that nobody waits for room.
@Suite struct SpanQueueTests {
    private static let span = Span("claim", TraceParent(trace: (1, 2), span: 3), seconds: 0, ended: 1, [])

    @Test func aFewSpansLeaveAfterASecond() {
        var queue = SpanQueue()
        #expect(!queue.isDue(now: 1_000))
        #expect(queue.add(Self.span, now: 10) && queue.add(Self.span, now: 10.9))
        #expect(!queue.isDue(now: 10.99))
        #expect(queue.isDue(now: 11))
        #expect(queue.take(now: 11).count == 2)
        #expect(!queue.isDue(now: 100) && queue.take(now: 100).isEmpty)
    }

    @Test func aFullBatchLeavesAtOnceAndTheRestWaits() {
        var queue = SpanQueue()
        for _ in 1..<SpanQueue.batch { _ = queue.add(Self.span, now: 10) }
        #expect(!queue.isDue(now: 10.5))
        for _ in 0..<2 { _ = queue.add(Self.span, now: 10.5) }
        #expect(queue.isDue(now: 10.5))
        #expect(queue.take(now: 10.5).count == SpanQueue.batch && queue.count == 1)
        #expect(!queue.isDue(now: 11.4) && queue.isDue(now: 11.5))
    }

    @Test func whatFindsNoRoomIsDroppedAndCounted() {
        let metrics = MetricsRegistry()
        let now = Mutex(10.0)
        let sink = SpanSink(metrics: metrics, monotonic: { now.withLock { $0 } })
        for _ in 0..<(SpanQueue.capacity + 3) { sink.add(Self.span) }
        #expect(sink.isDue && sink.takeOverflow() == 3 && sink.takeOverflow() == 0)
        let batch = sink.take()
        sink.ended(sent: batch.count)
        sink.ended(dropped: sink.take().count)
        sink.add(Self.span)  // there is room again
        #expect(sink.takeOverflow() == 0)
        let page = String(decoding: MetricsText.page(of: metrics.reading(now: 0), in: .prometheus), as: UTF8.self)
        #expect(page.contains("\nfanfare_spans_sent_total \(SpanQueue.batch)\n"), "\(page)")
        #expect(page.contains("\nfanfare_spans_dropped_total \(SpanQueue.batch + 3)\n"), "\(page)")
        while !sink.isEmpty { _ = sink.take() }
        sink.add(Self.span)
        #expect(!sink.isDue)
        now.withLock { $0 += SpanQueue.gatherSeconds }
        #expect(sink.isDue)
    }
}
