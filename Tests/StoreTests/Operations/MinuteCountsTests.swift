import TestSupport
import Testing

@testable import Store

/// What became of messages in each of the last minutes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct MinuteCountsTests {
    @Test func resultsAreCountedByTheMinuteTheyEndedIn() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            INSERT INTO push.tally
            SELECT \(store.hub), date_trunc('minute', now()) - t.ago * interval '1 minute' + t.more, t.status::push.status,
                   t.reason::push.reason, t.n
              FROM (VALUES (0, interval '0', 'accepted', 'taken_by_hub', 5), (0, '3 s', 'accepted', 'resolved', 1),
                           (1, '0', 'rejected', 'bad_request', 2), (1, '0', 'rejected', 'target_gone', 3),
                           (1, '0', 'expired', 'expired', 4), (1, '0', 'in_doubt', 'worker_lost', 6),
                           (1, '0', 'retrying', 'throttled', 90), (60, '0', 'accepted', 'taken_by_hub', 7),
                           (61, '0', 'accepted', 'taken_by_hub', 80)) t(ago, more, status, reason, n)
            """)
        let read = try await MinuteCounts.read(from: store.database)
        #expect(read.map(\.hub) == ["news"])
        let hub = try #require(read.first)
        // A minute may have begun since.
        let shift = hub.minutes[0] == nil ? 1 : 0
        #expect(hub.minutes[shift] == .init(accepted: 6))
        #expect(hub.minutes[1 + shift] == .init(rejected: 5, expired: 4, inDoubt: 6))
        #expect(hub.minutes[60 + shift] == (shift == 0 ? .init(accepted: 7) : nil))
        #expect(hub.latest > 0 && hub.latest.truncatingRemainder(dividingBy: 60) == 0)
        #expect(hub.sum(ofLast: 2 + shift) == .init(accepted: 6, rejected: 5, expired: 4, inDoubt: 6))
        #expect(hub.sum(ofLast: 2 + shift).failed == 15 && hub.sum(ofLast: 2 + shift).ended == 21)
    }

    @Test func aHubWithoutResultsIsLeftOut() async throws {
        let store = try await StoreFixture.make()
        #expect(try await MinuteCounts.read(from: store.database) == [])
    }
}
