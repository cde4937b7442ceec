import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A device is held by a claim; when its worker dies, leaves or loses the answer, the claim goes and the changes are due as
/// before. Repeating them does no harm.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceRescueTests {
    @Test func aRescueGivesDevicesBackAndTakesNoneOfOthers() async throws {
        let store = try await StoreFixture.make()
        for n in 1...4 { try await store.put("phone-\(n)") }
        let other = try await store.anotherOfDevices()
        let mine = try await store.take(2)
        let theirs = try await store.take(2, by: other)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(
            Set(try await store.test.texts("SELECT device FROM push.installation_claim")) == Set(theirs.map(\.device)))
        #expect(Set(try await store.take(by: other).map(\.device)) == Set(mine.map(\.device)))
        #expect(try await store.lostChanges() == [])
    }

    /// Rescued, because it stood still for longer than its lease: it does not know yet.
    @Test func aStalledWorkerThatWasRescuedNeitherClaimsNorCompletes() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let stalled = try await store.take()
        _ = try await store.workers.rescue(store.queue.worker)
        try await store.put("b")
        #expect(try await store.take() == [])
        try await store.finish(stalled, .refused)
        #expect(try await store.count("installation_result") == 0)
        let other = try await store.anotherOfDevices()
        #expect(Set(try await store.take(by: other).map(\.device)) == ["a", "b"])
        try await store.finish(stalled, .refused)
        #expect(try await store.count("installation_claim") == 2)
        try await store.devices.giveBack(hub: store.hub)
        #expect(try await store.count("installation_claim") == 2)
    }

    /// A claim that is committed while the rescue waits for it is rescued too.
    @Test func noClaimSlipsPastARescue() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let other = try await store.anotherOfDevices()
        try await store.database.withConnection { connection in
            try await connection.execute("BEGIN")
            try await connection.execute(
                """
                SELECT push_worker.claim_devices_v1(\(store.hub), '-infinity', 0, NULL, 9, \(store.queue.worker.number),
                                             \(store.queue.worker.epoch))
                """)
            async let rescued = store.workers.rescue(store.queue.worker)
            try await store.untilASessionWaits()
            try await connection.execute("COMMIT")
            _ = try await rescued
        }
        #expect(try await store.count("worker") == 1)
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.take(by: other).count == 1)
    }

    /// Somebody has locked one of its claims: messages are rescued all the same, and the next rescue frees the device.
    @Test func aLockedClaimKeepsNoMessageFromBeingRescued() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(3)
        try await store.put("a")
        _ = try await store.claim()
        _ = try await store.take()
        try await store.database.withTransaction { person in
            try await person.execute("SELECT FROM push.installation_claim FOR UPDATE")
            #expect(try await store.workers.rescue(store.queue.worker).returned == 3)
        }
        #expect(try await store.count("worker") == 1, "so it is rescued again")
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.count("worker") == 0)
        #expect(try await store.count("installation_claim") == 0)
    }

    @Test func aPersonsRescueGivesDevicesBack() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        _ = try await store.take()
        try await store.database.execute("SELECT push.rescue(\(store.queue.worker.number), force => true)")
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.changes() == ["put waiting"])
    }

    /// The answer to a claim was lost, so its worker does not know what it holds.
    @Test func aWorkerGivesBackWhatItHoldsAtOneHub() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        try await store.put("a")
        try await store.put("b", hub: "other")
        _ = try await store.take()
        _ = try await store.devices.claim(hub: other, after: .start, limit: 9)
        try await store.devices.giveBack(hub: store.hub)
        #expect(try await store.test.texts("SELECT device FROM push.installation_claim") == ["b"])
        #expect(try await store.take().map(\.device) == ["a"])
    }

    /// A fail-over lost the row of a worker and kept its claims: nobody would ever rescue it.
    @Test func aWorkerThatRegistersRemovesClaimsOfNobody() async throws {
        let store = try await StoreFixture.make()
        for n in 1...3 { try await store.put("phone-\(n)") }
        let other = try await store.anotherOfDevices()
        _ = try await store.take(1)
        let kept = try await store.take(1, by: other)
        try await store.database.execute("DELETE FROM push.worker WHERE id = \(store.queue.worker.number)")
        let third = try await store.anotherOfDevices()
        #expect(try await store.test.texts("SELECT device FROM push.installation_claim") == kept.map(\.device))
        #expect(try await store.take(by: third).count == 2)
    }

    /// Numbers come again after such a fail-over, and the epoch tells the workers apart.
    @Test func aWorkerOfTheSameNumberKeepsItsDevices() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.put("b")
        _ = try await store.take(1)
        try await store.database.execute("UPDATE push.worker SET epoch = 4711")
        let heir = DeviceQueue(
            database: store.database, worker: WorkerID(number: store.queue.worker.number, epoch: 4711))
        let claimed = try await store.take(by: heir)
        #expect(claimed.count == 1)
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.test.texts("SELECT device FROM push.installation_claim") == claimed.map(\.device))
    }

    /// Moves the numbers on, so that none is given twice.
    @Test func onAServerThatWasReplacedNumbersOfChangesAndClaimsMoveOn() async throws {
        let store = try await StoreFixture.make()
        let before = try await store.put("a")
        let claim = try #require(try await store.take().first).claim
        try await store.database.execute("UPDATE push.timeline SET timeline = '00000000'")
        let other = try await store.anotherOfDevices()
        let after = try await store.put("b")
        #expect(after > before + 10_000_000)
        #expect(try #require(try await store.take(by: other).first).claim > claim + 10_000_000)
    }

    /// A worker of the time before the move neither claims nor records.
    @Test func aWorkerOfTheOldServerIsStopped() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let claimed = try await store.take()
        try await store.database.execute("UPDATE push.timeline SET timeline = '00000000'")
        let first = await #expect(throws: DatabaseError.self) { try await store.take() }
        let second = await #expect(throws: DatabaseError.self) { try await store.finish(claimed) }
        #expect(first?.is(.serverReplaced) == true && second?.is(.serverReplaced) == true)
    }
}
