import ProgramSupport
import TestSupport
import Testing

/// Nights, outages and jumps of the clock, over real processes that go by a clock which the test moves: what takes months
/// takes seconds.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: MovedClock.compiler.isExpected, Tool.advice))
struct MovedClockTests {
    private static let steps = (
        schedule: #""cron": "0,30 * * * *", "zone": "UTC", "overlap": "allow""#, rest: ""
    )

    /// A daily time that comes twice, and one that does not come.
    struct Night: Sendable, CustomTestStringConvertible {
        /// Noon before it, in UTC, as Berlin's.
        var day: String
        var next: String
        /// When half past two comes in Berlin.
        var comes: String
        var testDescription: String { next }
    }

    @Test(arguments: [
        Night(day: "2026-10-24", next: "2026-10-25", comes: "2026-10-25T00:30:00Z"),
        Night(day: "2027-03-27", next: "2027-03-28", comes: "2027-03-28T01:00:00Z"),
    ])
    func onANightOfAClockChangeEachStartComesOnce(night: Night) async throws {
        try await MovedBench.run(at: night.day + "T12:00:00Z") { bench in
            let zones = #"{"zones": ["Europe/Berlin", "Asia/Tokyo", "America/New_York"], "default": "UTC"}"#
            let daily = #""cron": "30 2 * * *", "zone": "Europe/Berlin""#
            try await bench.schedule([
                "steps": Self.steps, "cron": (daily, ""),
                "local": (daily + #", "local": true"#, #", "local": "# + zones),
            ])
            let instants = ["00:30", "01:00", "01:30", "02:00"].map { "\(night.next)T\($0):00Z" }
            for instant in ["\(night.day)T12:30:00Z", "\(night.day)T17:30:00Z"] + instants + ["\(night.next)T06:30:00Z"]
            {
                let before = bench.titles.count
                try await bench.come(to: instant)
                var expected = ["steps"]
                if instant == "\(night.day)T17:30:00Z" { expected += ["local Asia_Tokyo"] }
                if instant == night.comes { expected += ["cron", "local Europe_Berlin"] }
                if instant == "\(night.next)T06:30:00Z" { expected += ["local America_New_York"] }
                #expect(bench.titles[before...].sorted() == expected.sorted(), "\(instant)")
            }
            #expect(try await bench.runs(of: "cron") == ["\(night.comes) done"])
            // It opens where the day begins first, and has others to come.
            #expect(try await bench.runs(of: "local").map { $0.prefix(20) } == ["\(night.day)T12:30:00Z"])
            try await bench.balance()
        }
    }

    @Test func afterThreeDaysWithoutAWorkerEachRuleForMissedTimesHolds() async throws {
        try await MovedBench.run(at: "2026-11-01T12:00:00Z") { bench in
            let nine = #""cron": "0 9 * * *", "zone": "UTC", "catchUp": "7 days", "misfire": "#
            try await bench.schedule([
                "skip": (nine + #""skip""#, ""), "once": (nine + #""once""#, ""), "all": (nine + #""all""#, ""),
            ])
            await bench.stop()
            try bench.clock.set(to: "2026-11-04T12:00:00Z")
            try await bench.start()
            try await bench.taken(4)
            try await bench.until("SELECT count(*) FROM push.campaign WHERE next_at > now()") { $0 == 3 }
            try await bench.until("SELECT count(*) FROM push.run WHERE closed_at IS NULL") { $0 == 0 }
            let times = ["2026-11-02T09:00:00Z", "2026-11-03T09:00:00Z", "2026-11-04T09:00:00Z"]
            #expect(try await bench.runs(of: "skip") == times.map { $0 + " skipped" })
            #expect(
                try await bench.runs(of: "once")
                    == [times[0] + " skipped", times[1] + " skipped", times[2] + " done"])
            #expect(try await bench.runs(of: "all") == times.map { $0 + " done" })
            #expect(bench.titles.sorted() == ["all", "all", "all", "once"])
            try await bench.balance()
        }
    }

    @Test func aClockThatJumpsLosesAndRepeatsNothing() async throws {
        try await MovedBench.run(at: "2026-06-01T12:00:00Z") { bench in
            try await bench.enqueue("before")
            try await bench.taken(1)
            // Back: what is new by the new time is sent at once.
            try bench.clock.advance(by: -3_600)
            try await bench.enqueue("an hour earlier", "and another")
            try await bench.taken(3)
            // Forward again, and beyond the end of every token that was signed.
            for hours in [1.0, 2, 25] {
                try bench.clock.advance(by: hours * 3_600)
                try await bench.enqueue("\(hours) hours later")
                try await bench.taken(bench.titles.count + 1)
            }
            // Back by as much: tokens that end in a day are good.
            try bench.clock.advance(by: -25 * 3_600)
            try await bench.enqueue("back")
            try await bench.taken(7)
            #expect(
                bench.titles.sorted()
                    == [
                        "1.0 hours later", "2.0 hours later", "25.0 hours later", "an hour earlier", "and another",
                        "back",
                        "before",
                    ])
            try await bench.until("SELECT count(*) FROM push.message_status WHERE status = 'accepted'") { $0 == 7 }
            try await bench.balance()
        }
    }

    @Test func aMessageForLaterIsSentAfterTheJumpAndOneThatExpiredIsNot() async throws {
        try await MovedBench.run(at: "2026-06-01T12:00:00Z") { bench in
            try await bench.enqueue("in two days", times: "now() + interval '2 days', NULL")
            try await bench.enqueue("for a day", times: "now() + interval '1 hour', now() + interval '1 day'")
            try await bench.enqueue("now")
            try await bench.taken(1)
            try bench.clock.advance(by: 2 * 86_400 - 60)
            try await bench.until("SELECT count(*) FROM push.result WHERE status = 'expired'")
            try await bench.enqueue("a minute before")
            try await bench.taken(2)
            #expect(bench.titles == ["now", "a minute before"])
            try bench.clock.advance(by: 60)
            try await bench.taken(3)
            #expect(bench.titles == ["now", "a minute before", "in two days"])
            try await bench.balance()
        }
    }

    @Test func messagesAndAScheduleCrossTheTurnOfTheYear() async throws {
        try await MovedBench.run(at: "2026-12-31T22:00:00Z") { bench in
            try await bench.schedule([
                "new-year": (#""cron": "0 0 1 1 *", "zone": "Europe/London""#, ""),
                "old-year": (#""cron": "59 23 31 12 *", "zone": "UTC""#, ""),
            ])
            try bench.clock.set(to: "2026-12-31T23:59:58Z")
            var count = 0
            while try await bench.runs(of: "new-year").isEmpty {
                count += 1
                try await bench.enqueue("no \(count)")
            }
            try await bench.taken(count + 2)
            try await bench.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL") { $0 == 2 }
            #expect(try await bench.runs(of: "old-year") == ["2026-12-31T23:59:00Z done"])
            #expect(try await bench.runs(of: "new-year") == ["2027-01-01T00:00:00Z done"])
            #expect(bench.titles.filter { $0.hasPrefix("no ") }.sorted() == (1...count).map { "no \($0)" }.sorted())
            let years = try await bench.test.texts(
                """
                SELECT extract(year FROM minute AT TIME ZONE 'UTC')::text FROM push.throughput
                 WHERE status = 'accepted' GROUP BY 1 ORDER BY 1
                """)
            #expect(years == ["2026", "2027"])
            try await bench.balance()
        }
    }
}
