import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Workers in the database.
@Suite(.serialized, .timeLimit(.minutes(2))) struct WorkersTests {
    @Test func heartbeatsGrowAndShowEveryWorker() async throws {
        let store = try await StoreFixture.make()
        let other = try await store.another()
        try await store.insert()
        let claim = try #require(try await store.claim())
        let first = try await store.workers.beat(store.queue.worker, doing: "posting")
        let second = try await store.workers.beat(store.queue.worker, doing: "posting")
        let mine = try #require(second.first { $0.id == store.queue.worker })
        #expect(mine.beats == (first.first { $0.id == store.queue.worker }?.beats ?? 0) + 1)
        #expect(mine.claims == [claim.id])
        #expect(second.first { $0.id == other.worker } == Workers.Seen(id: other.worker, beats: 0, claims: []))
        let shown = try #require(try await SystemStatus.read(from: store.database).workers.first)
        #expect(shown.doing == "posting")
        #expect(shown.claims == 1)
        #expect(shown.messages == 1)
        #expect(try await store.workers.rescue(other.worker) == Workers.Rescued())
        #expect(try await store.workers.beat(store.queue.worker, doing: "").map(\.id) == [store.queue.worker])
    }
}
