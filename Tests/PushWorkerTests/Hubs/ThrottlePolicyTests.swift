import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

@testable import PushWorker

/// All workers together post less to a hub that throttles, and more again over the next minutes.
@Suite(.timeLimit(.minutes(10))) struct ThrottlePolicyTests {
    // MARK: Deciding

    @Test func theBestSecondOfTheLastTenIsWhatAHubTakes() {
        var policy = ThrottlePolicy()
        #expect(policy.bestSecond(now: 0) == 0)
        policy.accepted(30, now: 5.1)
        policy.accepted(30, now: 5.9)
        policy.accepted(10, now: 6)
        #expect(policy.bestSecond(now: 6.5) == 60)
        #expect(policy.bestSecond(now: 14.9) == 60)
        #expect(policy.bestSecond(now: 15) == 10)
        #expect(policy.bestSecond(now: 16) == 0)
        policy.accepted(1, now: 26)
        #expect(policy.bestSecond(now: 26) == 1, "the same slot of the ring, another second")
    }

    @Test func aBurstOfRefusalsIsOneReasonToSlowDown() {
        var policy = ThrottlePolicy()
        policy.accepted(100, now: 10)
        #expect(policy.throttled(leftAt: 10, now: 10.2) == 100)
        for _ in 1...50 { #expect(policy.throttled(leftAt: 10.1, now: 10.3) == nil) }
        #expect(policy.throttled(leftAt: 10.1, now: 15) == nil, "it left before we slowed down")
        #expect(policy.throttled(leftAt: 10.9, now: 11) == nil, "within a second of the last")
        #expect(policy.throttled(leftAt: 11, now: 11.3) == 100, "still too fast")
        #expect(policy.isNewer(than: 11.2))
        #expect(!policy.isNewer(than: 11.4))
    }

    /// slowed to, seconds ago, ceiling → now (0: no limit)
    @Test(arguments: [
        (nil, nil, 0.0, 0.0), (nil, nil, 7, 7),  // never throttled
        (10, 0, 0, 10), (10, 30, 0, 20), (10, 60, 0, 40), (10, 150, 0, 320),  // doubles every 30 s
        (10, 180, 0, 0), (10, 1e6, 0, 0),  // over after three minutes
        (10, 60, 25, 25), (10, 180, 25, 25),  // never above the ceiling
        (10, -5, 0, 10),  // the server's clock was set back
    ])
    func theLimitGrowsByItself(_ slowed: Double?, _ seconds: Double?, _ ceiling: Double, _ now: Double) async throws {
        let test = try await TestDatabase.make()
        let found = try await test.texts(
            "SELECT round(push.current_rate(\(ceiling), \(slowed), \(seconds))::numeric, 6)::float8::text")
        #expect(found.first.flatMap(Double.init) == now)
    }

    @Test func aHubIsSlowedToHalfOfWhatItWasAllowedOrTook() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        let hub = try await hubs.register(TestWorker.news)
        func slow(configured: Double = 0, measured: Double, age: Double = 0) async throws -> Double? {
            try await hubs.slowDown(
                hub, configured: configured, measured: measured, age: age, because: "hub replied 429")
        }
        func later(_ seconds: Int32) async throws {
            try await test.database.execute(
                "UPDATE push.hub_pace SET slowed_at = slowed_at - make_interval(secs => \(seconds))")
        }
        #expect(try await slow(measured: 300) == 150)
        #expect(
            try await test.number("SELECT count(*) FROM push.hub_pace WHERE tokens = 0 AND tokens_at = slowed_at") == 1
        )
        #expect(try await slow(measured: 300) == nil, "another worker had reported it")
        try await later(5)
        #expect(try await slow(measured: 300, age: 20) == nil, "this post left before")
        let again = try #require(try await slow(measured: 300, age: 1))
        #expect((84...150).contains(again), "half of the current rate: \(again)")
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', state, rate, speed_why, speed >= \(again)) FROM push.hub_health")
                == ["open hub replied 429 t"])
        try await later(3600)
        #expect(try await hubs.states().first?.slowed == nil)
        #expect(try await test.texts("SELECT concat_ws(' ', speed, speed_why, slowed_at) FROM push.hub_health") == [""])
        #expect(try await slow(measured: 0) == 10, "a first refusal after few posts says little")
        try await later(3600)
        #expect(try await slow(configured: 6, measured: 500) == 3)
        try await later(3600)
        #expect(try await slow(configured: 1, measured: 500) == 1, "never below one a second")
        // The configuration is lower still: a thousand seconds for one post.
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 10).wait > 900)
        try await hubs.resume("news")
        #expect(try await hubs.states().first?.slowed == nil)
    }

    @Test func aRateSetByAPersonReplacesTheSlowDown() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        let hub = try await hubs.register(TestWorker.news)
        _ = try await hubs.slowDown(hub, configured: 0, measured: 100, age: 0, because: "429")
        try await test.database.execute("SELECT push.set_rate('news', 80)")
        #expect(try await hubs.states().first?.slowed == nil)
        #expect(try await test.texts("SELECT speed::text FROM push.hub_health") == ["80"])
    }

    // MARK: Two workers and a hub with a limit

    @Test func twoWorkersFindTheHubsLimitAndShareIt() async throws {
        var hub = TestWorker.news
        hub.packTags = false
        hub.window = 8
        let worker = try await TestWorker.make(hub)
        let limit = try worker.emulator.add(Fault(.beyond(rate: 8, burst: 8)))
        try await worker.enqueue(220)  // more than one worker claims at once

        async let one = worker.drain()
        async let other = worker.drain()
        let shares = try await [one.accepted, other.accepted]

        #expect(shares.reduce(0, +) == 220)
        #expect(shares.allSatisfy { $0 >= 20 }, "\(shares)")
        // Fewer than one per message, although the hub takes only eight a second.
        let refused = worker.emulator.count().statuses[429, default: 0]
        #expect(refused > 0 && refused < 220, "\(refused)")
        #expect(Set(worker.taken).count == 220 && worker.taken.count == 220)
        #expect(try await worker.test.texts("SELECT speed_why FROM push.hub_health").first?.contains("429") == true)
        #expect(try await worker.lost() == [])

        // Three minutes later the limit is gone, and workers ask for no tokens any more.
        #expect(worker.emulator.removeFault(limit))
        try await worker.test.database.script(
            """
            UPDATE push.hub_state SET gate_until = NULL;
            UPDATE push.hub_pace SET slowed_at = slowed_at - interval '3 minutes', tokens_at = NULL
            """)
        try await worker.enqueue(300)
        try await worker.drain()
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_pace WHERE tokens_at IS NULL") == 1)
        #expect(try await worker.statuses() == "accepted 520")
    }
}
