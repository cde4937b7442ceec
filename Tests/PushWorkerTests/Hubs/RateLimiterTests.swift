import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A rate per hub, shared by all workers: a bucket of tokens in the database.
@Suite(.timeLimit(.minutes(10))) struct RateLimiterTests {
    /// tokens, seconds, rate, wanted → granted, left, wait
    @Test(arguments: [
        (0.0, 0.0, 60.0, 0.0), (9000, 0, 60, 1), (9000, 30, 60, 4500), (9000, 60, 60, 9000), (9000, 1e6, 60, 9000),
        (9000, 0, 0, 9000), (0.5, 30, 60, 0.5),
    ])
    func aRateGrowsEvenlyOverItsRamp(_ rate: Double, _ seconds: Double, _ ramp: Double, _ now: Double) async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts("SELECT push.ramped_rate(\(rate), \(seconds), \(ramp))::text")
                == [now == now.rounded() ? "\(Int(now))" : "\(now)"])
    }

    /// All workers share the ramp: it is in the row of the bucket.
    @Test func afterAQuietMinuteAHubWithARampBeginsSlowly() async throws {
        let worker = try await TestWorker.make()
        let hubs = Hubs(database: worker.test.database)
        let hub = Int32(try await worker.test.number("SELECT id FROM push.hub"))
        func granted() async throws -> Int {
            try await hubs.takeTokens(hub, configured: 6000, wanted: 1500, rampSeconds: 60).granted
        }
        #expect(try await granted() == 1, "not a second's worth")
        try await worker.test.database.execute(
            """
            UPDATE push.hub_pace SET ramp_from = clock_timestamp() - interval '30 s', tokens = 0,
                   tokens_at = clock_timestamp() - interval '0.25 s'
            """)
        #expect(
            (700...1500).contains(try await granted()), "a quarter second at half the rate, and what has passed since")
        try await worker.test.database.execute(
            "UPDATE push.hub_pace SET tokens_at = tokens_at - interval '61 s', ramp_from = ramp_from - interval '1 day'"
        )
        #expect(try await granted() == 1, "quiet for a minute")
    }

    @Test(arguments: [
        (nil, 0.0, 20.0, 5, 5, 15.0, 0.0),  // begins full
        (nil, 0, 20, 50, 20, 0, 0.05),  // one second's worth at most
        (0, 0, 20, 5, 0, 0, 0.05),
        (0, 0.25, 20, 5, 5, 0, 0),
        (0, 0.125, 20, 5, 2, 0.5, 0.025),
        (3, 3600, 20, 50, 20, 0, 0.05),  // never more than a second's worth, however long it was unused
        (0, 1, 0.5, 5, 0, 0.5, 1),  // slower than one a second
        (0, 2, 0.5, 5, 1, 0, 2),
        (1, 3600, 0.5, 5, 1, 0, 2),
        (2, -10, 20, 5, 2, 0, 0.05),  // a clock that was set back removes nothing
    ])
    func theBucketFillsByTheRate(
        _ tokens: Double?, _ seconds: Double, _ rate: Double, _ wanted: Int32, _ granted: Int64, _ left: Double,
        _ wait: Double
    ) async throws {
        let test = try await TestDatabase.make()
        let found = try await test.database.query(
            "SELECT granted::bigint, remaining, wait FROM push_internal.take_from_bucket(\(tokens), \(seconds), \(rate), \(wanted))"
        ) { rows in try rows.first { row in (try row.int64(), try row.double(), try row.double()) } }
        let (some, rest, pause) = try #require(found)
        #expect(some == granted)
        #expect(abs(rest - left) < 1e-9)
        #expect(abs(pause - wait) < 1e-9)
    }

    @Test func workersShareOneBucketAndUnusedTokensGoBack() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        let hub = try await hubs.register(TestWorker.news)
        // One token in a thousand seconds: none is added during the test.
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 3).granted == 1)
        let (none, wait) = try await hubs.takeTokens(hub, configured: 0.001, wanted: 3)
        #expect(none == 0)
        #expect(wait > 900 && wait <= 1000)
        try await hubs.returnTokens(1, of: hub)
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 3).granted == 1)
        // A rate set by a person overrides the configuration; 0: no limit.
        try await test.database.execute("UPDATE push.hub_state SET rate = 0")
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 500).granted == 500)
        try await test.database.script(
            """
            UPDATE push.hub_state SET rate = 100;
            UPDATE push.hub_pace SET tokens = 0, tokens_at = clock_timestamp() - interval '10 s'
            """)
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 500).granted == 100)
        #expect(try await hubs.states().map(\.rate) == [100])
    }

    @Test func aHubWithoutARateHasNoBucket() async throws {
        let worker = try await TestWorker.make()
        try await worker.enqueue(50)
        try await worker.drain()
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_pace WHERE tokens_at IS NULL") == 1)
    }

    /// By the arithmetic of the bucket: two workers send at most what was in it and what was added since.
    @Test func twoWorkersTogetherDoNotExceedTheRate() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 40
        let worker = try await TestWorker.make(hub)
        try await worker.enqueue(100)

        async let one = worker.drain()
        async let other = worker.drain()
        let accepted = try await one.accepted + other.accepted

        #expect(accepted == 100)
        #expect(worker.taken.count == Set(worker.taken).count)
        let times = worker.emulator.journal().filter(\.taken).map(\.elapsed).sorted()
        #expect(times.count == 100)
        // 40 at once and 60 more at 40 a second: never faster. (A token is taken before its post leaves, so the journal can
        // only be later; half a second is for the tokens that two workers may hold.)
        let last = try #require(times.last), first = try #require(times.first)
        #expect(last - first > 60.0 / 40 - 0.5)
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_pace WHERE tokens <= 40") == 1)
        #expect(try await worker.lost() == [])
    }

    @Test func liftingTheRateReleasesEverything() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 1
        let worker = try await TestWorker.make(hub)
        try await worker.enqueue(500)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
            try await worker.test.database.execute("UPDATE push.hub_state SET rate = 0")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 500 }
        }

        #expect(try await worker.lost() == [])
    }

    @Test func aStoppingWorkerGivesBackWhatWaitsForTheRate() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 1
        let worker = try await TestWorker.make(hub)
        try await worker.enqueue(5)

        let summary = try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'")
        }

        #expect(summary.clean)
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(
            try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0")
                == Int64(5 - summary.accepted))
        #expect(try await worker.lost() == [])
    }
}
