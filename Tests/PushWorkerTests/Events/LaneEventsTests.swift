import Postgres
import PushModel
import Telemetry
import TestSupport
import Testing

@testable import PushWorker
@testable import Store

/// What each listener makes of a step.
@Suite struct LaneEventsTests {
    private let registry = MetricsRegistry()
    private let time = ManualTime()
    private let log = LogRecorder()
    private let events: LaneEvents
    private let hub: HubContext

    init() throws {
        hub = try HubContext.make(1, HubSettings(name: "news", hub: "hub"), metrics: registry)
        events = LaneEvents(
            ownClaims: OwnClaims(), watch: DatabaseWatch(clock: time.clock, log: log.logger),
            metrics: WorkerMetrics(registry), clock: time.clock, log: log.logger)
    }

    private func page() -> String {
        String(decoding: MetricsText.page(of: registry.reading(now: time.now), in: .prometheus), as: UTF8.self)
    }

    private func claim(_ id: Int64, messages: Int) -> Claim {
        let message = Message(id: 1, target: .tag("World"), content: "{}", expiresAt: .infinity)
        return Claim(id: id, messages: Array(repeating: message, count: messages), position: .start)
    }

    @Test func aClaimIsCountedAndKnown() {
        events.report(.claimed(claim(7, messages: 3), at: hub, lane: 0, began: time.now - 0.002, now: time.now))
        #expect(events.ownClaims.lowest == 7)
        #expect(page().contains("fanfare_claim_messages_sum{hub=\"news\"} 3"))
        #expect(page().contains("fanfare_claim_duration_seconds_count 1"))
        var written = Completion()
        written.finished = [7]
        events.report(.recorded(written, began: time.now, now: time.now))
        #expect(events.ownClaims.lowest == nil)
        #expect(page().contains("fanfare_completion_duration_seconds_count 1"))
    }

    @Test func anEmptyLookIsAClaimStatementAndNoClaim() {
        events.report(.foundNothing(lane: 0, began: time.now, now: time.now))
        #expect(page().contains("fanfare_claim_duration_seconds_count 1"))
        #expect(!page().contains("fanfare_claim_messages_sum"))
    }

    @Test func anOutcomeIsCountedOfTheHubOfItsClaimUnlessThatWasRescued() {
        events.report(.claimed(claim(7, messages: 2), at: hub, lane: 0, began: 0, now: 0))
        events.report(.ended(MessageOutcome(.rejected, .badRequest, note: "no"), [1], of: 7, isFenced: false))
        events.report(.ended(MessageOutcome(.rejected, .badRequest, note: "no"), [2], of: 7, isFenced: true))
        #expect(page().contains("reason=\"bad_request\"} 1"), "\(page())")
    }

    @Test func aStatementThatFailsIsTroubleUntilItsWriterWrites() {
        let error = DatabaseError.away
        events.report(.recordingFailed(Completion(), error, began: time.now))
        #expect(page().contains("fanfare_recorder_faults_total 1"))
        events.report(.failed(error, by: .lane(1)))
        #expect(events.watch.trouble != nil)
    }
}
