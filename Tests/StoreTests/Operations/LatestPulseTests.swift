import TestSupport
import Testing

@testable import Store

/// The backlog for somebody who is no worker.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LatestPulseTests {
    @Test func thePulseOfAWorkerIsReadWhileItIsFresh() async throws {
        let store = try await StoreFixture.make()
        _ = try await store.workers.sharePulse(store.queue.worker, every: 15, within: 30)
        try await store.insert(3)
        let monitor = try await store.test.login(as: "push_monitor")
        let shared = try await LatestPulse.read(from: monitor.database, within: 3_600)
        #expect(shared.pulse.lanes == [], "it was taken before")
        #expect(shared.takenAt == shared.workersTookAt)
        try await store.database.execute("UPDATE push.pulse SET taken_at = taken_at - interval '1 min'")
        let own = try await LatestPulse.read(from: monitor.database)
        #expect(own.pulse.lanes.map(\.due) == [3])
        #expect(own.takenAt - (own.workersTookAt ?? 0) > 59)
        await monitor.database.close()
    }

    @Test func withoutAWorkerItIsTakenNow() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let pulse = try await LatestPulse.read(from: store.database)
        #expect(pulse.pulse.lanes.map(\.due) == [2] && pulse.workersTookAt == nil)
    }

    @Test func aPulseOfTheFutureSaysNothing() async throws {
        let store = try await StoreFixture.make()
        _ = try await store.workers.sharePulse(store.queue.worker, every: 15, within: 30)
        try await store.insert(2)
        try await store.database.execute("UPDATE push.pulse SET taken_at = now() + interval '1 day'")
        #expect(try await LatestPulse.read(from: store.database).pulse.lanes.map(\.due) == [2])
    }
}
