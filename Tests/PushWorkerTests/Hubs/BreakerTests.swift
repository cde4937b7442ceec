import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A hub that nothing gets through to, met by a real worker: posts leave one by one until one is taken.
@Suite(.timeLimit(.minutes(5))) struct BreakerTests {
    /// Arrivals can only be late, and a pause begins when a failure is known: so a gap is never shorter than its pause.
    @Test func afterEachPauseOnePostLeavesAndNotAWindow() async throws {
        var hub = TestWorker.news
        hub.packTags = false
        let worker = try await TestWorker.make(hub)
        try await worker.enqueue(200)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 200 }
            // The window is wide now. From here on nothing works.
            try worker.emulator.add(Fault(.every(1), status: 500))
            worker.emulator.clearJournal()
            try await worker.enqueue(200)
            // Until the breaker has opened for the third time, which shows as the longest pause so far.
            try await worker.until(
                "SELECT count(*) FROM push.hub_state WHERE broken_until - changed_at > interval '3.9 s'")
            #expect(
                try await worker.test.texts("SELECT state || ': ' || why FROM push.hub_health").first?.hasPrefix(
                    "failing: hub replied 500") == true)
            worker.emulator.clearFaults()
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 400 }
        }

        // Many were on their way when it opened first; the last two were tried alone.
        let tries = worker.emulator.journal().filter { $0.status == 500 }.map(\.elapsed).suffix(2)
        #expect(try #require(tries.last) - (try #require(tries.first)) >= 2)
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE broken_until IS NULL") == 1)
        #expect(Set(worker.taken).count == 200)
        #expect(try await worker.lost() == [])
    }

    /// A worker that begins while another one gets nothing through tries one post, and with it finds out.
    @Test func whatOneWorkerFoundOutSavesTheOthersTheirFailures() async throws {
        var hub = TestWorker.news
        hub.packTags = false
        let worker = try await TestWorker.make(hub)
        let hubs = Hubs(database: worker.test.database)
        let id = try await hubs.register(hub)
        try await hubs.breakOff(id, seconds: 3600, because: "could not connect")
        #expect(
            try await worker.test.texts("SELECT state || ': ' || why FROM push.hub_health") == [
                "failing: could not connect"
            ])
        try worker.emulator.add(Fault(.next(2), status: 500))
        try await worker.enqueue(50)

        try await worker.drain()

        // One, and after a pause the second, each alone; a worker that knew nothing would have needed five.
        let times = worker.emulator.journal().map(\.elapsed)
        #expect(worker.emulator.count().statuses == [500: 2, 201: 50])
        #expect(times[1] - times[0] >= 2)
        #expect(times[2] - times[1] >= 4)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func aPauseThatGrewIsKeptAndAPersonEndsIt() async throws {
        let worker = try await TestWorker.make()
        let hubs = Hubs(database: worker.test.database)
        let id = try await hubs.register(TestWorker.news)
        try await hubs.breakOff(id, seconds: 3600, because: "could not connect")
        try await hubs.breakOff(id, seconds: 1, because: "timed out")
        let broken = try #require(try await hubs.states().first?.broken)
        #expect(broken > 3000)
        try await hubs.resume("news")
        #expect(try await hubs.states().first?.broken == nil)
        try await hubs.breakOff(id, seconds: 1, because: "timed out")
        try await hubs.mend(id)
        #expect(try await hubs.states().first?.broken == nil)
    }
}

/// A hub that refuses us, met by two real workers: one message a time is tried, whoever tries it.
@Suite(.timeLimit(.minutes(5))) struct HoldTests {
    @Test func allWorkersTogetherSendOneProbeATime() async throws {
        var first = try await Self.worker()
        first.settings.probeSeconds = 1
        let worker = first
        try worker.emulator.add(Fault(.every(1), status: 404))
        try await worker.enqueue(20)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            try await worker.whileWorking { _ in
                while worker.emulator.count().statuses[404, default: 0] < 5 { await Task.yield() }
                worker.emulator.clearFaults()
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
            }
        }

        // The first found out; the k-th after it was allowed by the database k seconds after that at the earliest.
        let times = worker.emulator.journal().filter { $0.status == 404 }.map(\.elapsed)
        for (number, time) in times.enumerated() { #expect(time - times[0] >= Double(number)) }
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.lost() == [])
    }

    /// The locales of one content are several posts where languages are tags: a probe is one of them.
    @Test func aProbeIsOnePostAlsoWhenItsMessageBecomesSeveral() async throws {
        var hub = HubSettings(name: "news", hub: "breaking-news")
        hub.localization = .tags
        var first = try await TestWorker.make(hub)
        first.settings.probeSeconds = 0.3
        let worker = first
        try await Hubs(database: worker.test.database).hold(1, because: "404", probeAfter: 0)
        try worker.emulator.add(Fault(.next(2), status: 404))
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content) VALUES
                ('news', 'World', 'en', '{"title": "Peace"}'), ('news', 'World', 'fr', '{"title": "Paix"}'),
                ('news', 'World', 'de', '{"title": "Frieden"}')
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 3")
        #expect(worker.emulator.count().statuses == [404: 2, 201: 3])
    }

    @Test func aHubThatAPersonPausedIsNotProbed() async throws {
        var first = try await Self.worker()
        first.settings.probeSeconds = 0.1
        let worker = first
        try worker.emulator.add(Fault(.every(1), status: 404))
        try await worker.enqueue(5)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            try await Hubs(database: worker.test.database).pause("news")
            worker.emulator.clearFaults()
            // Ten probes would be due while this hub, which is looked at as often, is served.
            try await worker.until("SELECT (clock_timestamp() > changed_at + interval '3 s')::int FROM push.hub_state")
        }

        #expect(worker.taken.isEmpty, "a success of a probe must not undo what a person said")
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["paused"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 5)
        try await Hubs(database: worker.test.database).resume("news")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
    }

    // MARK: Our clock

    /// The hub's clock two hours ahead of ours: every token we sign has ended for it. That is no reason to give up a key.
    @Test func whenOurClockIsWrongTheReasonSaysSoAndNoKeyIsGivenUp() async throws {
        var first = try await Self.worker()
        first.secondary = first.emulator.connectionString(for: "breaking-news")
        let worker = first
        var fault = Fault(.every(1))
        fault.skewSeconds = 7200
        try worker.emulator.add(fault)
        try await worker.enqueue(5)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
        }

        let why = try await worker.test.texts("SELECT why FROM push.hub_health").first ?? ""
        #expect(why.contains("clock") && why.contains("behind the hub's") && why.contains("NTP"), "\(why)")
        #expect(!why.contains("connection string"))
        #expect(try await worker.test.texts("SELECT key FROM push.hub_state") == ["primary"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0") == 5)

        worker.emulator.clearFaults()
        try await Hubs(database: worker.test.database).resume("news")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
    }

    @Test(arguments: [
        (nil, nil), (0, nil), (-60, nil), (60, nil), (-61, "connection string"), (90, "ahead of"),
        (-3600, "keys may be right"),
    ])
    func aClockIsBlamedWhenItIsOff(_ seconds: Double?, _ words: String?) {
        let skew = ClockSkew()
        if let seconds { skew.found(seconds, now: 0) }
        #expect((skew.reason == nil) == (words == nil))
        if let words { #expect(skew.reason?.contains(words) == true) }
        #expect(skew.makesTokensLate == (seconds == -3600))
    }

    private static func worker() async throws -> TestWorker {
        var hub = TestWorker.news
        hub.packTags = false
        return try await TestWorker.make(hub)
    }
}
