import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceCompletionTests {
    private func results(_ store: StoreFixture) async throws -> [String] {
        try await store.test.texts(
            """
            SELECT concat_ws(' ', c.device, c.action, r.status, r.http, r.tracking_id, r.error, r.note)
              FROM push.installation_result r JOIN push.installation_change c USING (id) ORDER BY r.id, r.at
            """)
    }

    @Test func whatBecameOfEachChangeIsRecordedAndTheDeviceIsFree() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.put("a")
        try await store.patch("a")
        let claimed = try await store.take()
        let ids = try #require(claimed.first).changes.map(\.id)
        let answer = Answer(verdict: .accepted, status: 200, tracking: "t-1")
        try await store.devices.complete([
            .init(
                claim: claimed[0].claim,
                outcomes: [
                    DeviceOutcome(ids[0], .superseded, note: "later"), DeviceOutcome(ids[1], .applied, answer: answer),
                    DeviceOutcome(
                        ids[2], .refused,
                        answer: Answer(verdict: .rejected(because: "bad"), status: 400, error: "bad\0 path"),
                        note: "bad"),
                ])
        ])
        #expect(
            try await results(store) == [
                "a put superseded later", "a put applied 200 t-1", "a patch refused 400 bad path bad",
            ])
        #expect(try await store.count("installation_due") == 0)
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.lostChanges() == [])
    }

    @Test func aRepeatIsHarmless() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.patch("a")
        let claimed = try await store.take()
        let ids = claimed[0].changes.map(\.id)
        let first = DeviceQueue.Finished(
            claim: claimed[0].claim,
            outcomes: [DeviceOutcome(ids[0], .applied), DeviceOutcome(ids[1], .retrying, delay: 0, cost: 1)])
        for _ in 1...3 { try await store.devices.complete([first]) }
        #expect(try await results(store) == ["a put applied", "a patch retrying"])
        #expect(try await store.test.texts("SELECT attempt::text FROM push.installation_due") == ["1"])
        // Late: another claim of the device exists by now, and it is left alone.
        let again = try await store.take()
        try await store.devices.complete([first])
        #expect(try await store.count("installation_claim") == 1)
        try await store.finish(again)
        #expect(try await results(store).last == "a patch applied")
    }

    @Test(arguments: ["another worker", "another epoch"]) func aStrangerRecordsNothing(_ who: String) async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let claimed = try await store.take()
        let other = try await store.anotherOfDevices()
        let stranger = DeviceQueue(
            database: store.database,
            worker: who == "another worker"
                ? other.worker : WorkerID(number: store.queue.worker.number, epoch: store.queue.worker.epoch &+ 1))
        try await stranger.complete([
            .init(claim: claimed[0].claim, outcomes: [DeviceOutcome(claimed[0].changes[0].id, .applied)])
        ])
        #expect(try await store.count("installation_result") == 0)
        #expect(try await store.count("installation_claim") == 1)
        #expect(try await store.changes() == ["put applying"])
    }

    @Test func aRetryWaitsAndCountsItsAttempt() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.put("a")
        for attempt in Int16(0)...2 {
            let claimed = try await store.take()
            #expect(claimed.first?.changes.map(\.attempt) == [attempt])
            let answered = try await store.test.instants {
                try await store.devices.complete([
                    .init(
                        claim: claimed[0].claim,
                        outcomes: [DeviceOutcome(id, .retrying, delay: 3600, cost: 1, note: "busy")])
                ])
            }
            #expect(try await store.take() == [])
            let asked = try await store.test.time("SELECT due_at - interval '1 hour' FROM push.installation_due")
            #expect(answered.contains(asked))
            try await store.database.execute("UPDATE push.installation_due SET due_at = now()")
        }
        #expect(try await results(store) == Array(repeating: "a put retrying busy", count: 3))
        try await store.finish(try await store.take())
        #expect(try await store.changes() == ["put applied"])
        #expect(try await store.lostChanges() == [])
    }

    /// What comes behind a change that is retried waits with it, and gets no result.
    @Test func aPostponedChangeWaitsWithoutAResult() async throws {
        let store = try await StoreFixture.make()
        let put = try await store.put("a")
        let patch = try await store.patch("a")
        let claimed = try await store.take()
        try await store.devices.complete([
            .init(
                claim: claimed[0].claim,
                outcomes: [
                    DeviceOutcome(put, .retrying, delay: 600, cost: 1), DeviceOutcome(patch, nil, delay: 600),
                ])
        ])
        #expect(try await results(store) == ["a put retrying"])
        #expect(
            try await store.test.texts(
                "SELECT id || ' ' || attempt FROM push.installation_due WHERE due_at > now() ORDER BY id")
                == ["\(put) 1", "\(patch) 0"])
        #expect(try await store.changes() == ["put retrying", "patch waiting"])
        // Another change brings all of them on earlier.
        let drop = try await store.drop("a")
        #expect(try await store.take().first?.changes.map(\.id) == [put, patch, drop])
    }

    /// Whatever a worker says, no change is lost, and none with a final result comes again.
    @Test func noOutcomeLosesAChangeOrRepeatsAFinalOne() async throws {
        let store = try await StoreFixture.make()
        var ids: [Int64] = []
        for _ in 1...4 { ids.append(try await store.patch("a")) }
        let claimed = try await store.take()
        try await store.devices.complete([
            .init(
                claim: claimed[0].claim,
                outcomes: [
                    DeviceOutcome(ids[0], nil), DeviceOutcome(ids[1], .retrying),
                    DeviceOutcome(ids[2], .applied, delay: 5),
                    DeviceOutcome(999_999, .applied),  // and ids[3] has no word at all
                ])
        ])
        #expect(
            try await store.test.texts("SELECT id::text FROM push.installation_due ORDER BY id")
                == [ids[0], ids[1], ids[3]].map(String.init))
        #expect(try await store.lostChanges() == [])
        #expect(try await store.count("installation_result") == 2)
    }

    @Test func whatABrokenDeviceLeavesUntriedStaysDue() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.patch("a")
        let claimed = try await store.take()
        try await store.devices.complete([.init(claim: claimed[0].claim, outcomes: [])])
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.take().first?.changes.count == 2)
    }

    @Test func aHundredDevicesGoIntoOneStatement() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.put_device('news', 'phone-' || g % 100, 'apns', '00') FROM generate_series(1, 300) g")
        let claimed = try await store.take()
        #expect(claimed.count == 100)
        try await store.finish(claimed)
        #expect(try await store.count("installation_result") == 300)
        #expect(try await store.take() == [])
        #expect(try await store.lostChanges() == [])
    }

    /// A person refuses what waits while results are written: neither waits for the other in a circle.
    @Test func cancellingBesideACompletionEndsEachChangeOnce() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.put_device('news', 'phone-' || g % 50, 'apns', '00') FROM generate_series(1, 400) g")
        let claimed = try await store.take(50)
        async let completed: Void = store.finish(claimed.shuffled())
        async let cancelled = Hubs(database: store.database).cancelDevices(of: "news")
        _ = try await (completed, cancelled)
        #expect(try await store.count("installation_due") == 0)
        #expect(
            try await store.test.number(
                "SELECT count(*) FROM (SELECT FROM push.installation_result GROUP BY id HAVING count(*) = 1) r") == 400)
    }
}
