import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What people and checks see of waiting changes, hub by hub, and what they may do about them.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceHubTests {
    private func backlog(_ store: StoreFixture) async throws -> [String] {
        try await store.test.texts(
            "SELECT concat_ws(' ', hub, state, due, later, refused, why) FROM push.device_backlog ORDER BY hub")
    }

    @Test func theBacklogCountsWhatWaitsAndWhatWasRefused() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        for n in 1...4 { try await store.put("phone-\(n)") }
        try await store.put("phone", hub: "other")
        try await store.finish(try await store.take(1), .refused)
        let retried = try await store.take(1)
        try await store.devices.complete([
            .init(
                claim: retried[0].claim,
                outcomes: [DeviceOutcome(retried[0].changes[0].id, .retrying, delay: 60, cost: 1)])
        ])
        #expect(try await backlog(store) == ["news open 2 1 1", "other open 1 0 0"])
        #expect(try await store.test.number("SELECT count(*) FROM push.device_backlog WHERE waiting > '0'") == 2)
        // For a worker's login.
        #expect(
            try await store.test.texts("SELECT hub || ' ' || due FROM push_worker.device_backlog_v1() ORDER BY hub")
                == [
                    "news 2", "other 1",
                ])
        try await store.ageDevices(2)
        #expect(try await backlog(store) == ["news open 3 0 0", "other open 1 0 0"], "refused long ago")
    }

    @Test func theBacklogSaysWhyAHubWaits() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        try await store.devices.close(hub: store.hub, seconds: 60, because: "the hub asked to wait")
        #expect(try await backlog(store) == ["news closed 0 0 0 the hub asked to wait"])
        #expect(try await store.test.number("SELECT count(*) FROM push.device_backlog WHERE until > now()") == 1)
        try await hubs.pause("news", because: "new key")
        #expect(try await backlog(store) == ["news paused 0 0 0 paused by postgres: new key"])
        try await hubs.resume("news")
        #expect(try await backlog(store) == ["news open 0 0 0"])
        #expect(try await store.test.number("SELECT count(*) FROM push.device_backlog WHERE until IS NULL") == 1)
    }

    @Test func aHubWithWaitingChangesIsNotRemoved() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.put("b")
        let error = await #expect(throws: DatabaseError.self) {
            try await Hubs(database: store.database).remove("news")
        }
        #expect(error?.sqlState == "55000")
        #expect(error?.message == "hub \"news\" has 2 waiting changes of devices")
        #expect(error?.hint?.contains("SELECT push.cancel_devices('news')") == true)
        #expect(try await Hubs(database: store.database).cancelDevices(of: "news") == 2)
        try await Hubs(database: store.database).remove("news")
        #expect(try await store.changes() == ["put refused", "put refused"])
        #expect(try await backlog(store) == [])
        // It is the same hub when it comes back.
        _ = try await Hubs(database: store.database).register(TestWorker.news)
        try await store.put("a")
        #expect(try await store.changes(of: "a") == ["put refused", "put waiting"])
    }

    @Test func cancellingLeavesWhatIsOnTheWire() async throws {
        let store = try await StoreFixture.make()
        _ = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        try await store.put("a")
        try await store.put("b")
        try await store.put("c", hub: "other")
        let held = try await store.take(1)
        #expect(try await Hubs(database: store.database).cancelDevices(of: "news") == 1)
        #expect(try await store.changes() == ["put applying", "put refused", "put waiting"])
        try await store.finish(held)
        #expect(try await store.changes() == ["put applied", "put refused", "put waiting"])
        #expect(
            try await store.test.texts("SELECT DISTINCT note FROM push.installation_result WHERE note IS NOT NULL") == [
                "cancelled by postgres"
            ])
        #expect(
            try await store.test.texts("SELECT detail::text FROM push.audit WHERE action = 'cancel_devices'")
                == [#"{"hub" : "news", "changes" : 1}"#])
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.lostChanges() == [])
        #expect(try await Hubs(database: store.database).cancelDevices(of: "news") == 0)
        await #expect(throws: DatabaseError.self) { try await Hubs(database: store.database).cancelDevices(of: "nws") }
        // A dead worker gets no answer.
        try await store.put("d")
        _ = try await store.take(1)
        try await store.database.execute("UPDATE push.worker SET beat_at = beat_at - interval '1 hour'")
        #expect(try await Hubs(database: store.database).cancelDevices(of: "news") == 1)
    }

    @Test func aHubThatNobodyServesIsNamedForItsDevicesToo() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.unserved() == [])
        try await store.put("a")
        #expect(try await hubs.unserved() == ["news"])
        _ = try await store.workers.beat(store.queue.worker, doing: "", reports: [HubReport(hub: store.hub)])
        #expect(try await hubs.unserved() == [])
        try await store.finish(try await store.take())
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await hubs.unserved() == [])
        // Changes have no expiry: they wait.
        try await store.put("a")
        try await store.ageDevices(100)
        _ = try await hubs.expireUnserved()
        #expect(try await store.changes(of: "a") == ["put applied", "put waiting"])
    }

    /// A drain ends when nothing is left that is due within its time.
    @Test func aDrainWaitsForChangesToo() async throws {
        let store = try await StoreFixture.make()
        func left(_ seconds: Double) async throws -> String {
            try await store.test.texts(
                """
                SELECT concat_ws(' ', push_worker.count_left_v1('{news}', \(seconds)),
                                 CASE WHEN push_worker.next_due_v1('{news}', \(seconds)) <= 0 THEN 'now'
                                      ELSE round(push_worker.next_due_v1('{news}', \(seconds)) / 3600)::text END)
                """)[0]
        }
        #expect(try await left(60) == "0")
        try await store.put("a")
        #expect(try await left(0) == "1 now")
        try await store.insert(2)
        #expect(try await left(60) == "3 now")
        _ = try await store.claim()
        try await store.database.execute("UPDATE push.installation_due SET due_at = now() + interval '10 hours'")
        #expect(try await left(60) == "0")
        #expect(try await left(40_000) == "1 10")
        #expect(try await store.test.number("SELECT push_worker.count_left_v1('{other}', 40000)") == 0)
        // Held by a worker it still counts.
        try await store.database.execute("UPDATE push.installation_due SET due_at = now()")
        let held = try await store.take()
        #expect(try await left(0) == "1 now")
        try await store.finish(held)
        #expect(try await left(3600) == "0")
    }
}
