import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Old changes go with their results when they are final, and stay while they wait.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DevicePurgeTests {
    @Test func whatIsOldAndFinalGoesWithItsResults() async throws {
        let store = try await StoreFixture.make()
        for _ in 1...3 { try await store.put("a") }
        try await store.put("b")
        let claimed = try await store.take()
        try await store.devices.complete(
            claimed.map { device in
                .init(
                    claim: device.claim,
                    outcomes: device.changes.map { DeviceOutcome($0.id, .retrying, delay: 0, cost: 1) })
            })
        try await store.finish(try await store.take())
        #expect(try await store.count("installation_result") == 8)
        try await store.ageDevices(60)
        let young = try await store.put("c")
        try await store.finish(try await store.take())
        #expect(try await store.purge() == ["devices deleted 4"])
        #expect(try await store.ids("installation_change") == [young])
        #expect(try await store.ids("installation_result") == [young])
        #expect(try await store.test.texts("SELECT device FROM push.device") == ["c"])
        #expect(try await store.purge() == [])
        #expect(try await store.lostChanges() == [])
    }

    @Test(arguments: ["waiting", "retrying", "applying"]) func whatIsNotFinalStays(_ status: String) async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        if status == "retrying" {
            let claimed = try await store.take()
            try await store.devices.complete([
                .init(
                    claim: claimed[0].claim,
                    outcomes: [DeviceOutcome(claimed[0].changes[0].id, .retrying, delay: 0, cost: 1)])
            ])
        }
        try await store.ageDevices(60)
        if status == "applying" { _ = try await store.take() }
        #expect(try await store.purge() == [])
        #expect(try await store.changes() == ["put \(status)"])
        #expect(try await store.count("device") == 1)
    }

    /// So long after its result, not after its call.
    @Test func aChangeStaysForSoLongAfterItsResult() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.ageDevices(60)
        try await store.finish(try await store.take())
        #expect(try await store.purge() == [])
        try await store.ageDevices(31)
        #expect(try await store.purge() == ["devices deleted 1"])
    }

    /// Only a newer change says whether a device was dropped.
    @Test func aDeviceGoesWithItsNewestChangeAndAPatchIsTakenAgain() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.drop("a")
        try await store.put("b")
        try await store.finish(try await store.take())
        try await store.ageDevices(60)
        try await store.drop("b")
        try await store.finish(try await store.take())
        #expect(try await store.purge() == ["devices deleted 3"])
        try await store.patch("a")
        await #expect(throws: DatabaseError.self) { try await store.patch("b") }
    }

    @Test func aCallDeletesABatch() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.put_device('news', 'phone-' || g, 'apns', '00') FROM generate_series(1, 25) g")
        try await store.finish(try await store.take())
        try await store.ageDevices(60)
        try await store.put("young")
        var deleted: [Int64?] = []
        for _ in 1...4 {
            deleted += try await store.purgeOnce(batch: 10).filter { $0.what == "devices" }.map(\.n)
        }
        #expect(deleted == [10, 10, 5])
        #expect(try await store.count("installation_change") == 1)
    }
}
