import Foundation
import HubEmulator
import TestSupport
import Testing

/// What signals, and the watchdog, do to a real `fanfare run`.
@Suite(.serialized) struct SignalTests {
    /// A service whose first posts are not answered for a minute.
    private func stuck(_ rest: String = "") async throws -> ServiceBench {
        let service = try await ServiceBench()
        try service.configure(rest: #", "dispatch": {"leaseSeconds": 5}"# + rest)
        var slow = Fault(.next(1), hub: "old")
        slow.delayMilliseconds = 60_000
        try service.emulator.add(slow)
        return service
    }

    @Test func sigusr1CountsTheDevicesInFlight() async throws {
        let service = try await ServiceBench()
        var slow = Fault(.next(1), hub: "old")
        slow.operations = [.installation]
        slow.delayMilliseconds = 60_000
        try service.emulator.add(slow)
        let run = try await service.start()
        run.signal(SIGUSR1)
        try await service.logs("state: results", times: 1)
        #expect(try service.logged("state: devices", "hub").isEmpty, "nothing is in flight")
        try await service.test.database.execute("SELECT push.put_device('news', 'phone', 'apns', '00')")
        try await service.emulator.untilStruck()
        run.signal(SIGUSR1)
        try await service.logs("state: results", times: 2)
        #expect(try service.logged("state: devices", "hub") == ["news"])
        #expect(try service.logged("state: devices", "in_flight") == ["1"])
        #expect(try service.logged("state: devices", "window") == ["8"])
        await service.emulator.stop()
        run.signal(SIGKILL)
        _ = await run.ended
    }

    @Test func sigusr1WritesTheStateToTheLogWithoutAnySecret() async throws {
        let service = try await stuck()
        let run = try await service.start()
        try await service.enqueue(1...1)
        var dumps = 0
        repeat {  // until the post is on its way
            dumps += 1
            run.signal(SIGUSR1)
            try await service.logs("state: results", times: dumps)
        } while try service.logged("state: worker", "in_flight").last != "1"

        #expect(["true", "1"].contains(try service.logged("state: process", "begun").last))  // a JSON boolean
        #expect(try service.logged("state: hub", "hub").last == "news")
        #expect(try service.logged("state: hub", "gate").last == "open")
        #expect(try service.logged("state: hub", "in_flight").last == "1")
        #expect(try service.logged("state: hub", "signature_ends_in").last?.hasSuffix(" s") == true)
        #expect(try service.logged("state: claim", "in_flight").last == "1")
        #expect(try service.logged("state: claim", "age_seconds").last.flatMap(Double.init) ?? -1 >= 0)
        #expect(try service.logged("state: results", "unwritten").last == "0")
        #expect(try service.logged("state: worker", "database_connections").last?.contains(" of ") == true)
        let log = try service.scratch.read("log")
        #expect(!log.contains("ZW11bGF0b3I=") && !log.contains("SharedAccessSignature"))
        await service.emulator.stop()
        run.signal(SIGTERM)
        #expect(await run.ended == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSecondSignalLeavesAtOnceAndAnotherWorkerRescuesWhatWasHeld(signal: Int32) async throws {
        let service = try await stuck()
        let run = try await service.start(with: ["WATCHDOG_USEC": "2000000"])
        try await service.enqueue(1...30)
        try await service.emulator.untilStruck()
        run.signal(signal)
        await service.systemd.wait(for: "STOPPING=1")
        // It waits for the answer, and says so for as long as it does.
        await service.systemd.wait(for: "EXTEND_TIMEOUT_USEC=15000000")
        run.signal(signal)
        #expect(await run.ended == 128 + signal)  // 143, 130

        service.emulator.clearFaults()
        let other = try await service.start()
        // In one look: what goes back from a claim would be missed by two.
        try await service.until("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)") {
            $0 == 0
        }
        other.signal(SIGTERM)
        #expect(await other.ended == 0)
        #expect(try await service.test.texts("SELECT id || ' ' || problem FROM push.lost") == [])
        #expect(Set(service.taken()).count == service.taken().count, "something was sent twice")
        let doubts = try await service.test.number("SELECT count(*) FROM push.in_doubt")
        let accepted = try await service.test.number(
            "SELECT count(*) FROM push.message_status WHERE status = 'accepted'")
        #expect(doubts <= 1 && doubts + accepted == 30)
    }

    /// The database takes what it is asked and says nothing.
    @Test func systemdIsNotToldThatWeLiveWhileTheDatabaseKeepsSilent() async throws {
        let service = try await ServiceBench()
        let proxy = try Proxy(to: service.test.conninfo)
        defer { proxy.end() }
        try service.configure(database: proxy.conninfo(service.test.conninfo))
        let run = try await service.start(with: ["WATCHDOG_USEC": "1000000"])
        await service.systemd.wait(for: "WATCHDOG=1")

        var told = 0
        proxy.isSilent = true
        try await service.logs("no progress: the systemd watchdog is no longer notified")
        for dumps in 1...2 {  // a worker that stands still can be asked why
            run.signal(SIGUSR1)
            try await service.logs("state: process", times: dumps)
            if dumps == 1 { told = service.systemd.watchdogs.value }
        }
        #expect(service.systemd.watchdogs.value == told)
        proxy.isSilent = false
        try await service.logs("progress again")
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        let why = try service.logged("no progress: the systemd watchdog is no longer notified", "why")
        #expect(why.first == "the database does not answer")
    }

    @Test func aKeyThatChangedInTheCredentialsDirectoryIsUsedAfterSIGHUP() async throws {
        let service = try await ServiceBench()
        let directory = service.scratch.path + "/credentials"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        func give(_ hub: String) throws {
            let connection = service.emulator.connectionString(for: hub)?.reveal() ?? ""
            try service.scratch.write(connection + "\n", to: "credentials/hubs-news-connectionString")
            try service.scratch.write(
                #"{"database": {"url": "\#(service.test.conninfo)"}, "hubs": {"news": {"hub": "\#(hub)"}}}"#,
                to: "config.json")
        }
        try give("old")
        let run = try await service.start(with: ["CREDENTIALS_DIRECTORY": directory])
        try await service.enqueue(1...1)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'")

        try give("new")  // which takes another key only
        await service.reload(run)
        try await service.enqueue(2...2)
        try await service.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 2 }
        run.signal(SIGTERM)

        #expect(await run.ended == 0)
        #expect(service.taken("new").count == 1)
        #expect(try service.logged("reloading", "changed") == ["hubs.news.hub, hubs.news.connectionString"])
    }
}
