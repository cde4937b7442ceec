import Foundation
import HubEmulator
import TestSupport
import Testing

/// `kill -HUP` of a real `fanfare run`.
@Suite(.serialized) struct ReloadTests {
    @Test func aReloadUnderLoadTakesEffectAndNothingIsLostOrSentTwice() async throws {
        let service = try await ServiceBench()
        var slow = Fault(.every(7), hub: "old")
        slow.delayMilliseconds = 200
        try service.emulator.add(slow)
        let run = try await service.start()
        try await service.enqueue(1...4000)
        try await service.emulator.wait(untilTaken: 500, hub: "old")

        try service.configure(hub: "new", members: #""window": 8, "#)
        await service.reload(run)
        try await service.enqueue(4001...4100)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 4100 }
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        #expect(try await service.test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
        #expect(try await service.test.number("SELECT count(*) FROM push.worker") == 0)
        let taken = service.taken()
        #expect(taken.count == 4100)
        #expect(Set(taken).count == 4100, "something was sent twice")
        #expect(service.taken("new").count { $0.contains("no 4") } >= 100, "the new hub got none of what came after")
        #expect(
            try service.logged("reloading", "changed") == [
                "hubs.news.hub, hubs.news.connectionString, hubs.news.window"
            ])
        // The old worker stopped while the new one worked.
        #expect(try service.logged("working", "worker").count == 2)
        #expect(try service.logged("stopping", "in_flight").count == 2)
    }

    @Test func settingsThatAreWrongLeaveTheOldOnesAtWorkAndEveryProblemIsSaid() async throws {
        let service = try await ServiceBench()
        let run = try await service.start()

        try service.configure(members: #""window": 0, "expireAfterSeconds": "long", "#)
        await service.reload(run)
        try service.scratch.write(#"{"hubs": "#, to: "config.json")
        await service.reload(run)
        try service.scratch.write(#"{"hubs": {}}"#, to: "config.json")
        await service.reload(run)
        try service.scratch.write(try Site.fcmSettings(url: service.test.conninfo, name: "news"), to: "config.json")
        await service.reload(run)
        try await service.enqueue(1...3)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 3 }
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        let said = try service.logged("not reloaded, the old settings stay", "problem")
        #expect(said.count == 5, "\(said)")
        for words in [
            "hubs.news.window is 0", "expireAfterSeconds is the text", "is not JSON", "hubs names no hub",
            "hubs.news.kind is fcm, and was notification-hubs",
        ] {
            #expect(said.contains { $0.contains(words) }, "\(words): \(said)")
        }
        #expect(try service.logged("not reloaded, the old settings stay", "refused").last == "4")
        #expect(try service.logged("working", "worker").count == 1)
    }

    @Test func aDatabaseThatCannotBeWorkedOnLeavesTheOldOneAtWork() async throws {
        let service = try await ServiceBench()
        let empty = try await TestDatabase.make(migrated: false).conninfo
        let run = try await service.start()

        try service.configure(database: empty)
        await service.reload(run)
        try await service.enqueue(1...1)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'")
        // Back to what is at work: nothing has changed then.
        try service.configure()
        await service.reload(run)
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        let said = try service.logged("not reloaded, the old settings stay", "problem")
        #expect(said.count == 1 && said[0].contains("fanfare migrate up"), "\(said)")
        #expect(try service.logged("reloaded: no setting has changed", "level").count == 1)
    }

    @Test func whatHasNotChangedIsLeftAloneAndWhatWaitsForARestartIsNamed() async throws {
        let service = try await ServiceBench()
        let run = try await service.start()

        await service.reload(run)
        try service.configure(rest: #", "console": {"listen": "127.0.0.1:1"}, "log": {"level": "debug"}"#)
        await service.reload(run)
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        #expect(try service.logged("reloaded: no setting has changed", "level").count == 1)
        #expect(try service.logged("these settings wait for a restart", "keys") == ["console.listen"])
        #expect(try service.logged("working", "worker").count == 1, "a new log level needs no new worker")
    }

    /// The next try of a held hub was once waited for, up to a minute, although the key that was refused was gone.
    @Test func aNewKeyIsTriedAtOnce() async throws {
        let service = try await ServiceBench()
        let right = try service.scratch.read("config.json")
        let key = try #require(right.firstMatch(of: /SharedAccessKey=([^"]+)"/)?.1)
        try service.scratch.write(right.replacing("\(key)", with: "d3JvbmcgYSBrZXk="), to: "config.json")
        let run = try await service.start()
        try await service.enqueue(1...200)
        try await service.until("SELECT count(*) FROM push.hub_health WHERE next_probe > now() + interval '20 s'")
        let nextTry = try await service.test.texts("SELECT next_probe::text FROM push.hub_health")

        try service.scratch.write(right, to: "config.json")
        await service.reload(run)
        try await service.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
        #expect(
            try await service.test.number(
                "SELECT count(*) FROM push.result WHERE status = 'accepted' AND at < \(nextTry.first)::timestamptz") > 0
        )
        #expect(try service.logged("the settings of a held hub have changed; trying it at once", "hub") == ["news"])
        let tries = try service.logged("the hub takes posts again; it was held", "was_held_because")
        #expect(tries.count == 1 && tries[0].contains("refuses every key"), "\(tries)")
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
        #expect(try await service.test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
    }

    @Test func manyReloadsInARowEndWithTheLastSettings() async throws {
        let service = try await ServiceBench()
        var slow = Fault(.next(50))
        slow.delayMilliseconds = 300
        try service.emulator.add(slow)
        let run = try await service.start()
        try await service.enqueue(1...200)
        for window in 1...5 {
            try service.configure(hub: window == 5 ? "new" : "old", members: #""window": \#(window), "#)
            run.signal(SIGHUP)
            await service.systemd.wait(for: "RELOADING=1")
        }
        // Until the last settings are at work; those between may or may not have been.
        var sent = 200
        while service.taken("new").isEmpty {
            sent += 1
            try await service.enqueue(sent...sent)
            try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") {
                [sent] in $0 == sent
            }
        }
        try await service.until("SELECT count(*) FROM push.worker") { $0 == 1 }
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        #expect(service.taken().count == sent && Set(service.taken()).count == sent)
        #expect(try await service.test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
    }

    /// The kernel sends SIGHUP for a terminal that went away, too: nobody watches then, and the worker stops in order.
    @Test func aTerminalThatGoesAwayStopsTheWorker() async throws {
        let service = try await ServiceBench()
        let (run, terminal) = try await service.startOnATerminal()
        close(terminal)
        #expect(await run.ended == 0)
        #expect(try await service.test.number("SELECT count(*) FROM push.worker") == 0)
    }
}
