import ProgramSupport
import Foundation
import HubEmulator
import Testing
import TestSupport

/// `fanfare drain` as cron starts it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DrainTests {
    /// The binary, an emulator in this process and a database of its own.
    private struct Bench {
        let worker: TestWorker
        let fanfare: BuiltProgram

        static func make(database: String? = nil, leaseSeconds: Int = 5) async throws -> Bench {
            let worker = try await TestWorker.make()
            let scratch = try ScratchDirectory()
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = """
                {"database": {"url": "\(database ?? worker.test.conninfo)"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}},
                 "dispatch": {"leaseSeconds": \(leaseSeconds)}}
                """
            return Bench(
                worker: worker,
                fanfare: BuiltProgram(settings: try scratch.write(settings, to: "config.json"), scratch: scratch))
        }

        /// Makes the hub keep everybody waiting, so that a drain goes on.
        func closeGate() throws {
            var fault = Fault(.next(1000), status: 429)
            fault.retryAfter = .seconds(600)
            try worker.emulator.add(fault)
        }

        /// As if the lease of a killed drain's lock were over.
        func endLease() async throws {
            try await worker.test.database.execute("UPDATE push.drain SET beat_at = beat_at - interval '1 minute'")
        }
    }

    @Test func itEndsWhenNothingIsLeft() async throws {
        let bench = try await Bench.make()
        try await bench.worker.enqueue(300)

        let ended = try await bench.fanfare("drain", "--json")

        #expect(ended.status == 0, "\(ended.errors)")
        #expect(!ended.errors.contains("no worker serves"), "it serves the hub itself: \(ended.errors)")
        let facts = try ended.json([String: Any].self)
        #expect(facts["accepted"] as? Int == 300)
        #expect(facts["left"] as? Int == 0)
        #expect(facts["outcome"] as? String == "done")
        #expect(bench.worker.taken.count == 300)
    }

    @Test func itSaysWhenMessagesFailedForGood() async throws {
        let bench = try await Bench.make()
        try bench.worker.emulator.add(Fault(.nth(1), status: 400))
        try await bench.worker.enqueue(2, options: "pack=false")

        let ended = try await bench.fanfare("drain", "--json")

        #expect(ended.status == 1)
        let facts = try ended.json([String: Any].self)
        #expect(facts["accepted"] as? Int == 1 && facts["rejected"] as? Int == 1 && facts["posts"] as? Int == 2)
        #expect(facts["outcome"] as? String == "failed")
    }

    @Test func itAppliesChangesOfDevicesAndSaysWhichWereRefused() async throws {
        let bench = try await Bench.make()
        func call(_ call: String) async throws {
            try await bench.worker.test.database.script("SELECT push.\(call)")
        }
        try await call("put_device('news', 'phone', 'apns', '00', tags => '{World}')")
        try await call("put_device('news', 'phone', 'apns', '00', tags => '{Science}')")
        let good = try await bench.fanfare("drain")
        #expect(good.status == 0, "\(good)")
        #expect(good.output == "0 accepted in 0 posts, 1 change of devices applied, 1 superseded\n")
        #expect(try bench.worker.emulator.devices(at: "breaking-news") == ["phone"])

        try await call("patch_device('news', 'ghost', add_tags => '{World}')")
        try await call("drop_device('news', 'phone')")
        let bad = try await bench.fanfare("drain", "--json")
        #expect(bad.status == 1)
        let facts = try bad.json([String: Any].self)
        #expect(facts["devices"] as? [String: Int] == ["applied": 1, "refused": 1, "superseded": 0])
        #expect(facts["outcome"] as? String == "failed" && facts["left"] as? Int == 0)

        try await call("patch_device('news', 'ghost', add_tags => '{World}')")
        let text = try await bench.fanfare("drain")
        #expect(text.status == 1)
        #expect(
            text.output == "0 accepted in 0 posts, 0 changes of devices applied, "
                + "1 refused (fanfare device list --status refused)\n")
    }

    @Test func changesThatWaitAreLeftAtItsLimit() async throws {
        let bench = try await Bench.make()
        var fault = Fault(.next(1000), status: 429)
        fault.operations = [.installation]
        fault.retryAfter = .seconds(600)
        try bench.worker.emulator.add(fault)
        try await bench.worker.test.database.script("SELECT push.put_device('news', 'phone', 'apns', '00')")
        let ended = try await bench.fanfare("drain", "--max-runtime", "1s", "--json")
        #expect(ended.status == 75, "\(ended)")
        let facts = try ended.json([String: Any].self)
        #expect(facts["left"] as? Int == 1 && facts["outcome"] as? String == "left")
    }

    @Test func itLeavesWorkAtItsLimit() async throws {
        let bench = try await Bench.make()
        try bench.closeGate()
        try await bench.worker.enqueue(3)

        let ended = try await bench.fanfare("drain", "--max-runtime", "1s", "--json")

        #expect(ended.status == 75)
        let facts = try ended.json([String: Any].self)
        #expect(facts["left"] as? Int == 3 && facts["outcome"] as? String == "left")
        #expect(try await bench.worker.lost() == [])
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.due") == 3)
    }

    @Test func aSecondOneOfTheSameNameEndsAtOnceWith75() async throws {
        let bench = try await Bench.make()
        try bench.closeGate()
        try await bench.worker.enqueue(1)
        let first = try RunningProgram(bench.fanfare, "drain")
        try await bench.worker.until("SELECT count(*) FROM push.worker")

        let second = try await bench.fanfare("drain", "--json")
        #expect(second.status == 75)
        #expect(try second.json([String: Any].self)["outcome"] as? String == "locked")
        #expect(try second.json([String: Any].self)["left"] is NSNull)
        #expect(second.errors.contains("another drain holds the lock drain"), "\(second.errors)")

        // Another name is another lock.
        let other = try await bench.fanfare("drain", "--lock", "nightly", "--max-runtime", "1", "--json")
        #expect(other.status == 75)
        #expect(try other.json([String: Any].self)["outcome"] as? String == "left")

        first.signal(SIGTERM)
        #expect(await first.end == 75)
        bench.worker.emulator.clearFaults()
        // As if the ten minutes were over.
        try await bench.worker.test.database.execute("UPDATE push.hub_state SET gate_until = NULL")
        try await bench.worker.test.database.execute("UPDATE push.due SET due_at = now()")
        #expect(try await bench.fanfare("drain").status == 0)
    }

    @Test func theLockOfAKilledOneIsFreeAfterItsLease() async throws {
        let bench = try await Bench.make()
        try bench.closeGate()
        try await bench.worker.enqueue(1)
        let first = try RunningProgram(bench.fanfare, "drain")
        try await bench.worker.until("SELECT count(*) FROM push.worker")
        first.signal(SIGKILL)
        #expect(await first.end == -SIGKILL)

        let atOnce = try await bench.fanfare("drain", "--max-runtime", "1", "--json")
        #expect(try atOnce.json([String: Any].self)["outcome"] as? String == "locked")
        try await bench.endLease()
        let ended = try await bench.fanfare("drain", "--max-runtime", "1", "--json")
        #expect(try ended.json([String: Any].self)["outcome"] as? String == "left")
    }

    /// Leaves behind what a drain held that was killed in the middle of a post.
    private func killWhileItPosts(_ bench: Bench) async throws {
        var slow = Fault(.nth(1))
        slow.delayMilliseconds = 600_000
        try bench.worker.emulator.add(slow)
        try await bench.worker.enqueue(1, options: "on_doubt='resend'")
        let first = try RunningProgram(bench.fanfare, "drain")
        try await bench.worker.untilStruck()
        first.signal(SIGKILL)
        #expect(await first.end == -SIGKILL)
        try await bench.endLease()
    }

    /// A site that only drains has nobody else to rescue what a killed drain held.
    @Test func whatAKilledOneHeldIsWaitedForAndSent() async throws {
        let bench = try await Bench.make()
        try await killWhileItPosts(bench)

        let short = try await bench.fanfare("drain", "--max-runtime", "1", "--json")
        #expect(short.status == 75)
        #expect(try short.json([String: Any].self)["left"] as? Int == 1)
        let whole = try await bench.fanfare("drain", "--json")
        #expect(whole.status == 0)
        #expect(try whole.json([String: Any].self)["accepted"] as? Int == 1)
        #expect(try await bench.worker.lost() == [])
    }

    /// The rescue comes between the two looks, at what is due and at what others hold: after the one, before the other.
    @Test func whatIsRescuedWhileItLooksIsSent() async throws {
        let bench = try await Bench.make(leaseSeconds: 120)
        try await killWhileItPosts(bench)

        let proxy = try Proxy(to: bench.worker.test.conninfo)
        defer { proxy.end() }
        proxy.next(naming: "push_worker.claims_of_others_v1", .delayed)
        let url = proxy.conninfo(bench.worker.test.conninfo)
        let second = try RunningProgram(bench.fanfare, "drain", "--set", "database.url=\(url)")
        while proxy.delayed == 0 { try Task.checkCancellation() }
        try await bench.worker.test.database.execute("SELECT push_worker.rescue_v1((SELECT min(id) FROM push.worker))")
        proxy.release()
        #expect(await second.end == 0)
        #expect(try await bench.worker.statuses() == "accepted 1")
    }

    /// Nobody waits for a drain: it is no transaction, and vacuum may clean the queue tables while it works.
    @Test func theLockHoldsNoTransaction() async throws {
        let bench = try await Bench.make()
        try bench.closeGate()
        try await bench.worker.enqueue(1)
        // Longer than the hub asks to wait: else it ends at once, because it could send nothing before its end.
        let first = try RunningProgram(bench.fanfare, "drain", "--max-runtime", "1200")
        try await bench.worker.until("SELECT count(*) FROM push.worker")
        let before = try await bench.worker.test.texts("SELECT beat_at::text FROM push.drain WHERE name = 'drain'")
        let held = try await bench.worker.test.texts(
            """
            SELECT state FROM pg_stat_activity
             WHERE application_name = 'fanfare drain lock' AND datname = current_database()
            """)
        #expect(held == ["idle"])
        // It is renewed for as long as the drain works.
        try await bench.worker.until("SELECT count(*) FROM push.drain WHERE beat_at::text <> \(before[0])")
        first.signal(SIGTERM)
        #expect(await first.end == 75)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.drain") == 0)
    }

    @Test func aHangupIsIgnored() async throws {
        let bench = try await Bench.make()
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 300
        try bench.worker.emulator.add(slow)
        try await bench.worker.enqueue(200)
        let run = try RunningProgram(bench.fanfare, "drain")
        try await bench.worker.emulator.wait(untilTaken: 1)
        run.signal(SIGHUP)
        #expect(await run.end == 0)
        #expect(bench.worker.taken.count == 200)
    }

    @Test func aDatabaseThatStaysAwayUntilTheLimitIs69() async throws {
        let bench = try await Bench.make(database: "host=127.0.0.1 port=1 connect_timeout=1")
        let ended = try await bench.fanfare("drain", "--max-runtime", "1")
        #expect(ended.status == 69, "\(ended.errors)")
        #expect(ended.errors.contains("Is PostgreSQL running there?"))
    }

    @Test func aLimitThatIsNoTimeIsRefused() async throws {
        for text in ["0", "-5", "10x", "", "m", "5m1h"] {
            let ended = try await BuiltProgram(settings: nil)("drain", "--max-runtime=\(text)")
            #expect(ended.status == 64, "\(text): \(ended.errors)")
        }
        #expect(try await BuiltProgram(settings: nil)("drain", "--lock", "").status == 64)
    }
}
