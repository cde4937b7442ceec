import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct DeviceClaimTests {
    @Test func theOldestComeFirstAndTheNextClaimContinuesBehindThem() async throws {
        let store = try await StoreFixture.make()
        for n in 1...9 { try await store.put("phone-\(n)") }
        var position = DuePosition.start
        for batch in 0..<3 {
            let claimed = try #require(try await store.devices.claim(hub: store.hub, after: position, limit: 3))
            #expect(Set(claimed.devices.map(\.device)) == Set((1...3).map { "phone-\(batch * 3 + $0)" }))
            #expect(claimed.position > position)
            position = claimed.position
        }
        #expect(try await store.devices.claim(hub: store.hub, after: position, limit: 3) == nil)
        #expect(try await store.count("installation_claim") == 9)
        #expect(try await store.count("installation_due") == 9, "a claim moves nothing")
    }

    @Test func aClaimBringsAllThatWaitsForItsDeviceInOrder() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.put("a", tags: ["x"])
        try await store.put("b")
        let second = try await store.patch("a")
        let third = try await store.patch("a", add: ["b"])
        let claimed = try await store.take(1)
        #expect(claimed.map(\.device) == ["a"])
        #expect(claimed.first?.changes.map(\.id) == [first, second, third])
        #expect(claimed.first?.changes.map(\.action) == [.put, .patch, .patch])
        #expect(claimed.first?.changes.allSatisfy { $0.document != nil && $0.attempt == 0 } == true)
        // Also what is not due yet: a device's changes are applied in their order.
        #expect(try await store.take().map(\.device) == ["b"])
    }

    @Test func whatALaterPutOrDropReplacesBringsNoDocument() async throws {
        let store = try await StoreFixture.make()
        for step in ["put", "patch", "put", "patch", "patch"] {
            if step == "put" { try await store.put("a") } else { try await store.patch("a") }
        }
        try await store.put("b")
        try await store.drop("b")
        let claimed = try await store.take().sorted { $0.device < $1.device }
        #expect(
            claimed.map { $0.changes.map { $0.document != nil } } == [
                [false, false, true, true, true], [false, true],
            ])
    }

    /// More than that would make one statement and one request too large.
    @Test func aClaimBringsAtMostAHundredChangesOfADevice() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.patch_device('news', 'a', add_tags => ARRAY['t' || g]) FROM generate_series(1, 250) g")
        for wanted in [100, 100, 50, 0] {
            let claimed = try await store.take()
            #expect(claimed.flatMap(\.changes).count == wanted)
            #expect(claimed.flatMap(\.changes).map(\.id) == claimed.flatMap(\.changes).map(\.id).sorted())
            try await store.finish(claimed)
        }
    }

    @Test func aClaimBringsAtMost256KBOfOneDevice() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            SELECT push.patch_device('news', 'a', templates => json_build_object('t' || g, json_build_object('body',
                       to_json(repeat('x', 60000))::text))) FROM generate_series(1, 10) g
            """)
        for wanted in [4, 4, 2] {
            let claimed = try await store.take()
            #expect(claimed.flatMap(\.changes).count == wanted)
            try await store.finish(claimed)
        }
    }

    @Test func aDeviceIsInOneHand() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let other = try await store.anotherOfDevices()
        let mine = try await store.take()
        #expect(mine.map(\.device) == ["a"])
        try await store.patch("a")
        #expect(try await store.take(by: other) == [])
        #expect(try await store.devices.look([.init(hub: store.hub, position: .start)]) == [])
        #expect(try await store.devices.dueHubs() == [])
        try await store.finish(mine)
        #expect(try await store.take(by: other).first?.changes.map(\.action) == [.patch])
    }

    /// Many changes of one device keep no other from being found.
    @Test func aDeviceWithManyChangesKeepsNoOtherWaiting() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.patch_device('news', 'a', add_tags => ARRAY['t' || g]) FROM generate_series(1, 500) g")
        try await store.put("b")
        let first = try #require(try await store.devices.claim(hub: store.hub, after: .start, limit: 2))
        #expect(first.devices.map(\.device) == ["a"])
        let second = try #require(try await store.devices.claim(hub: store.hub, after: first.position, limit: 2))
        #expect(second.devices.map(\.device) == ["b"])
    }

    @Test func noDeviceIsEverClaimedTwice() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.put_device('news', 'phone-' || g % 300, 'apns', '00') FROM generate_series(1, 900) g")
        let database = store.test.another(maximumConnections: 8)
        var workers: [WorkerID] = []
        for _ in 1...8 { workers.append(try await store.another().worker) }
        let claimed = try await withThrowingTaskGroup(of: [ClaimedDevice].self) { group in
            for worker in workers {
                let queue = DeviceQueue(database: database, worker: worker)
                group.addTask {
                    var mine: [ClaimedDevice] = []
                    while true {
                        let more = try await store.take(7, by: queue)
                        mine += more
                        if more.isEmpty { return mine }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        await database.close()
        // Who met only devices that others were taking at that moment may have ended early.
        let left = try await store.take(300)
        #expect(Set((claimed + left).map(\.device)).count == 300)
        #expect((claimed + left).count == 300)
        #expect((claimed + left).flatMap(\.changes).count == 900)
    }

    @Test func onlyWhatIsDueIsFoundAndItBringsTheRest() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.database.execute("UPDATE push.installation_due SET due_at = now() + interval '1 hour'")
        #expect(try await store.take() == [])
        #expect(try await store.devices.look([.init(hub: store.hub, position: .start)]) == [])
        #expect(try await store.devices.dueHubs() == [])
        try await store.patch("a")
        #expect(try await store.devices.look([.init(hub: store.hub, position: .start)]) == [store.hub])
        #expect(try await store.devices.dueHubs() == [store.hub])
        #expect(try await store.take().first?.changes.map(\.action) == [.put, .patch])
    }

    /// A waiting change whose row somebody deleted gets a result. It would be found for ever.
    @Test func aPointerWithoutItsChangeGetsAResult() async throws {
        let store = try await StoreFixture.make()
        let gone = try await store.put("a")
        let patch = try await store.patch("a")
        try await store.database.execute("DELETE FROM push.installation_change WHERE id = \(gone)")
        let claimed = try await store.take()
        #expect(claimed.first?.changes.map(\.id) == [gone, patch])
        let steps = DeviceSteps(claimed.first?.changes ?? [])
        #expect(steps.unreadable.map(\.id) == [gone] && steps.steps.map(\.ids) == [[patch]])
        try await store.finish(claimed, .refused)
        #expect(try await store.count("installation_due") == 0)
    }

    @Test(arguments: ["pause", "close"]) func aHubThatTakesNoneIsNotClaimed(_ why: String) async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        if why == "pause" {
            try await Hubs(database: store.database).pause("news", because: "new key")
        } else {
            try await store.devices.close(hub: store.hub, seconds: 600, because: "429")
        }
        #expect(try await store.take() == [])
        #expect(try await store.devices.look([.init(hub: store.hub, position: .start)]) == [])
        #expect(try await store.devices.dueHubs() == [])
        #expect(try await store.count("installation_claim") == 0)
        try await Hubs(database: store.database).resume("news")
        #expect(try await store.devices.look([.init(hub: store.hub, position: .start)]) == [store.hub])
        #expect(try await store.devices.dueHubs() == [store.hub])
        #expect(try await store.take().count == 1)
    }

    @Test func oneLookFindsEveryHubWithAChangeDue() async throws {
        let store = try await StoreFixture.make()
        var numbers: [Int32] = []
        for n in 1...5 { numbers.append(try await Hubs(database: store.database).register(HubSettings(name: "h\(n)"))) }
        #expect(try await store.devices.dueHubs() == [])
        for hub in ["h1", "h3", "h3", "h5"] { try await store.put("a", hub: hub) }
        try await store.put("b", hub: "h4")
        try await store.database.execute(
            "UPDATE push.installation_due SET due_at = now() + interval '1 hour' WHERE hub = \(numbers[3])")
        #expect(try await store.devices.dueHubs() == [numbers[0], numbers[2], numbers[4]])
        try await store.put("c", hub: "news")
        try await store.devices.close(hub: numbers[4], seconds: 60, because: "429")
        #expect(try await store.devices.dueHubs() == [store.hub, numbers[0], numbers[2]])
    }

    /// What a key may send and what it may register are different rights.
    @Test func aHoldOfTheMessagesLeavesDevicesAlone() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.database.script(
            """
            UPDATE push.hub_state SET held_since = now(), hold_reason = 'x', gate_until = now() + interval '1 hour',
                                      broken_until = now() + interval '1 hour';
            """)
        #expect(try await store.take().count == 1)
    }

    @Test func messagesDoNotWaitForDevices() async throws {
        let store = try await StoreFixture.make()
        try await store.devices.close(hub: store.hub, seconds: 600, because: "429")
        try await store.insert()
        #expect(try await store.claim()?.messages.count == 1)
    }

    @Test func aWaitIsNeverShortenedAndAtMostAnHour() async throws {
        let store = try await StoreFixture.make()
        func asked(_ wait: String) async throws -> Timestamp {
            try await store.test.time("SELECT devices_until - \(wait)::interval FROM push.hub_state")
        }
        let first = try await store.test.instants {
            try await store.devices.close(hub: store.hub, seconds: 600, because: "a")
        }
        try await store.devices.close(hub: store.hub, seconds: 60, because: "b")
        #expect(first.contains(try await asked("10 minutes")))
        let last = try await store.test.instants {
            try await store.devices.close(hub: store.hub, seconds: 1e9, because: "c")
        }
        #expect(last.contains(try await asked("1 hour")))
    }

    @Test func hubsAreClaimedApart() async throws {
        let store = try await StoreFixture.make()
        let other = try await Hubs(database: store.database).register(HubSettings(name: "other"))
        try await store.put("a")
        try await store.put("a", hub: "other")
        #expect(
            try await store.devices.look([.init(hub: store.hub, position: .start), .init(hub: other, position: .start)])
                == [store.hub, other])
        #expect(try await store.take().count == 1)
        #expect(
            try await store.devices.look([.init(hub: store.hub, position: .start), .init(hub: other, position: .start)])
                == [other])
        #expect(try await store.devices.claim(hub: other, after: .start, limit: 9)?.devices.count == 1)
    }

    /// From the mark on, or from so long ago: rows that were committed late lie behind the mark.
    @Test func aLookStepsBackBehindTheMark() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.put("b")
        let position = try #require(try await store.devices.claim(hub: store.hub, after: .start, limit: 9)).position
        try await store.devices.giveBack(hub: store.hub)
        let question = DeviceQueue.Question(hub: store.hub, position: position)
        #expect(try await store.devices.look([question]) == [])
        #expect(try await store.devices.claim(hub: store.hub, after: position, limit: 9) == nil)
        var back = question
        back.back = 60
        #expect(try await store.devices.look([back]) == [store.hub])
        #expect(try await store.devices.claim(hub: store.hub, after: position, back: 60, limit: 9)?.devices.count == 2)
    }

    @Test func aWorkerThatWasRescuedClaimsNothing() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        _ = try await store.workers.rescue(store.queue.worker)
        #expect(try await store.take() == [])
        let stranger = DeviceQueue(
            database: store.database, worker: WorkerID(number: store.queue.worker.number, epoch: 4711))
        #expect(try await store.take(by: stranger) == [])
        #expect(try await store.count("installation_claim") == 0)
        #expect(try await store.take(by: store.anotherOfDevices()).count == 1)
    }

    @Test func aRolledBackClaimLeavesNothing() async throws {
        let store = try await StoreFixture.make()
        try await store.put("a")
        try await store.database.script(
            """
            BEGIN;
            SELECT * FROM push_worker.claim_devices_v1(\(store.hub), '-infinity', 0, NULL, 9,
                                                \(store.queue.worker.number), \(store.queue.worker.epoch));
            ROLLBACK;
            """)
        #expect(try await store.take().count == 1)
    }

    @Test(arguments: ["REPEATABLE READ", "SERIALIZABLE"]) func aClaimRefusesOtherIsolationLevels(_ level: String)
        async throws
    {
        let store = try await StoreFixture.make()
        try await store.put("a")
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.withTransaction { connection in
                try await connection.execute("SET TRANSACTION ISOLATION LEVEL \(raw: level)")
                try await connection.execute(
                    """
                    SELECT push_worker.claim_devices_v1(\(store.hub), '-infinity', 0, NULL, 9, \(store.queue.worker.number),
                                                 \(store.queue.worker.epoch))
                    """)
            }
        }
        #expect(error?.sqlState == "25000")
        #expect(error?.hint?.contains("READ COMMITTED") == true)
    }
}
