import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What is left to do for a drain.
@Suite(.serialized, .timeLimit(.minutes(10))) struct BacklogTests {
    @Test func theBacklogCountsWhatADrainHasToWaitFor() async throws {
        let store = try await StoreFixture.make()
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 3600) == 0)
        #expect(try await Backlog.next(in: store.database, hubs: ["news"], within: 3600) == nil)
        let ids = try await store.insert(2)
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', clock_timestamp() + interval '30 min')"
        )
        // A scheduled message that was never tried does not count.
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 3600) == 2)
        #expect(try #require(try await Backlog.next(in: store.database, hubs: ["news"], within: 3600)) < 0)
        #expect(try await Backlog.count(in: store.database, hubs: ["other"], within: 3600) == 0)
        #expect(try await Backlog.next(in: store.database, hubs: ["other"], within: 3600) == nil)

        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        try await store.complete(
            [.retrying(claim.post(1), after: 1800)],
            left: [.init(claim: claim.id, message: ids[1], outcome: .retrying(.released, after: 1800, cost: 0))],
            finished: [claim.id])
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 3600) == 2)
        #expect(try #require(try await Backlog.next(in: store.database, hubs: ["news"], within: 3600)) > 900)
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 1) == 0)
        #expect(try await Backlog.next(in: store.database, hubs: ["news"], within: 1) == nil)
        let shown = try #require(try await SystemStatus.read(from: store.database).hubs.first)
        #expect(shown.due == 0)
        #expect(shown.later == 3)
    }
}
