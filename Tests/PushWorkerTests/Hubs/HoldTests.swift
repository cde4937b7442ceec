import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// Two real workers and a hub that refuses them: together they try one message at a time.
@Suite(.timeLimit(.minutes(10))) struct HoldTests {
    @Test func allWorkersTogetherSendOneProbeAtATime() async throws {
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

        // Each worker tries a second message at once; then the database allows one a second.
        let times = worker.emulator.journal().filter { $0.status == 404 }.map(\.elapsed)
        for (number, time) in times.enumerated() { #expect(time - times[0] >= Double(number - 5)) }
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.lost() == [])
    }

    /// Nobody waits for `probeSeconds` any more, urgent or not, when the cause is mended.
    @Test(arguments: [401, 404]) func whatAHoldRefusedLeavesAtOnceWhenItEnds(status: Int) async throws {
        let log = LogRecorder()
        var first = try await Self.worker()
        first.settings.probeSeconds = 3600
        first.log = log.logger
        let worker = first
        try worker.emulator.add(Fault(.every(1), status: status))
        try await worker.enqueue(20)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            try await worker.until("SELECT count(*) FROM push.due WHERE due_at > now() + interval '10 min'")
            worker.emulator.clearFaults()
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
        }
        #expect(Set(log.fields(of: "messages that the hub refused are due again").map { $0["hub"] }) == ["news"])
        #expect(try await worker.lost() == [])
    }

    /// A probe was on its way when a person resumed the hub: its refusal is of before, and holds nothing.
    @Test func aRefusalFromBeforeTheResumeHoldsNothing() async throws {
        var first = try await Self.worker()
        first.settings.probeSeconds = 3600
        let worker = first
        try worker.emulator.add(Fault(.next(1), status: 404))
        var slow = Fault(.every(1), status: 404)
        slow.delayMilliseconds = 3000
        try worker.emulator.add(slow)
        try await worker.enqueue(5)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            try await worker.until("SELECT count(*) FROM push.claim")
            worker.emulator.clearFaults()
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 5 }
        }
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.lost() == [])
    }

    /// It may have been refused for itself, and must not keep the others from being tried.
    @Test(arguments: [401, 404]) func noProbeTakesTheMessageThatWasJustRefused(status: Int) async throws {
        var first = try await Self.worker()
        first.settings.probeSeconds = 0.25
        let worker = first
        try worker.emulator.add(Fault(.every(1), status: status))
        for tag in ["one", "two", "three", "four", "five"] { try await worker.enqueue(1, tag: tag) }
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            worker.emulator.clearJournal()
            try await Awaited.until("eight probes") {
                let probes = worker.emulator.journal().count
                return (probes, probes >= 8)
            }
        }
        let probes = worker.emulator.journal()
        for (last, next) in zip(probes, probes.dropFirst()) { #expect(last.tags != next.tags, "\(next.elapsed)") }
    }

    /// A wrong key, no such hub, no quota: after the first burst one request a probe.
    @Test(arguments: [401, 403, 404], [false, true])
    func aHubThatRefusesEverybodyIsNotHammered(status: Int, hasWorked: Bool) async throws {
        var first = try await Self.worker()
        first.settings.probeSeconds = 0.5
        let worker = first
        try await worker.whileWorking { _ in
            if hasWorked {
                try await worker.enqueue(200)
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 200 }
            }
            try worker.emulator.add(Fault(.every(1), status: status))
            worker.emulator.clearJournal()
            try await worker.enqueue(300)
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            // Probes go on; what was in flight when the hub was held has long been answered.
            let held = worker.emulator.journal().last?.elapsed ?? 0
            try await Awaited.until("a probe 8 s after the hold") {
                let last = worker.emulator.journal().last { $0.status == status }?.elapsed ?? 0
                return (last, last > held + 8)
            }
        }

        let times = worker.emulator.journal().filter { $0.status == status }.map(\.elapsed)
        let end = try #require(times.last)
        let tail = times.filter { $0 > end - 4 }
        #expect(tail.count <= 9, "4 s are 8 probes")
        if !hasWorked { #expect(times.count <= 4 + Int((end - times[0]) / 0.5)) }
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 300)
        let attempts = try await worker.test.texts(
            "SELECT attempt || ': ' || count(*) FROM push.due GROUP BY attempt ORDER BY attempt")
        #expect(attempts.count <= 6, "\(attempts): at most those of the moment when the hub changed its mind")
        #expect(try await worker.lost() == [])
    }

    /// Where languages are tags, the locales of one content are several posts: a probe is one of them.
    @Test func aProbeIsOnePostEvenOfAMessageThatNeedsSeveral() async throws {
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
            // From the third on the database says when one is tried.
            while worker.emulator.count().statuses[404, default: 0] < 3 { await Task.yield() }
            try await Hubs(database: worker.test.database).pause("news")
            // The worker hears of it within half a second; a probe may be on its way until then.
            try await worker.until(
                """
                SELECT (clock_timestamp() > changed_at + interval '1 s' AND NOT EXISTS (SELECT FROM push.claim))::int
                  FROM push.hub_state
                """)
            worker.emulator.clearFaults()
            // Time for ten probes.
            try await worker.until("SELECT (clock_timestamp() > changed_at + interval '3 s')::int FROM push.hub_state")
        }

        #expect(worker.taken.isEmpty, "the success of a probe must not undo a pause by a person")
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["paused"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 5)
        try await Hubs(database: worker.test.database).resume("news")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
    }

    // MARK: Our clock

    /// The hub's clock is two hours ahead of ours: it takes every token we sign for expired. That is no reason to give up a
    /// key.
    @Test func aWrongClockIsTheReasonAndNoKeyIsGivenUp() async throws {
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
        #expect(!why.contains("check the keys"))
        #expect(try await worker.test.texts("SELECT key FROM push.hub_state") == ["primary"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0") == 5)

        worker.emulator.clearFaults()
        try await Hubs(database: worker.test.database).resume("news")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 5")
    }

    private static func worker() async throws -> TestWorker {
        var hub = TestWorker.news
        hub.packTags = false
        return try await TestWorker.make(hub)
    }
}
