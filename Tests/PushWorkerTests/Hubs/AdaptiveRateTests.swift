import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A hub that throttles is sent less, by all workers together, and more again with the minutes.
@Suite(.timeLimit(.minutes(5))) struct AdaptiveRateTests {
    // MARK: Deciding

    @Test func theBestSecondOfTheLastTenIsWhatAHubTakes() {
        var throttlePolicy = ThrottlePolicy()
        #expect(throttlePolicy.best(now: 0) == 0)
        throttlePolicy.took(30, now: 5.1)
        throttlePolicy.took(30, now: 5.9)
        throttlePolicy.took(10, now: 6)
        #expect(throttlePolicy.best(now: 6.5) == 60)
        #expect(throttlePolicy.best(now: 14.9) == 60)
        #expect(throttlePolicy.best(now: 15) == 10)
        #expect(throttlePolicy.best(now: 16) == 0)
        throttlePolicy.took(1, now: 26)
        #expect(throttlePolicy.best(now: 26) == 1, "the same place of the ring, another second")
    }

    @Test func aBurstOfRefusalsIsOneReasonToSlowDown() {
        var throttlePolicy = ThrottlePolicy()
        throttlePolicy.took(100, now: 10)
        #expect(throttlePolicy.throttled(leftAt: 10, now: 10.2) == 100)
        for _ in 1...50 { #expect(throttlePolicy.throttled(leftAt: 10.1, now: 10.3) == nil) }
        #expect(throttlePolicy.throttled(leftAt: 10.1, now: 15) == nil, "it left before we slowed down")
        #expect(throttlePolicy.throttled(leftAt: 10.9, now: 11) == nil, "within a second of the last")
        #expect(throttlePolicy.throttled(leftAt: 11, now: 11.3) == 100, "still too fast")
        #expect(throttlePolicy.isNewer(than: 11.2))
        #expect(!throttlePolicy.isNewer(than: 11.4))
    }

    /// slowed to, seconds ago, ceiling → now (0: no limit)
    @Test(arguments: [
        (nil, nil, 0.0, 0.0), (nil, nil, 7, 7),  // it never throttled
        (10, 0, 0, 10), (10, 30, 0, 20), (10, 60, 0, 40), (10, 150, 0, 320),  // doubles every 30 s
        (10, 180, 0, 0), (10, 1e6, 0, 0),  // after three minutes it is over
        (10, 60, 25, 25), (10, 180, 25, 25),  // never above the ceiling
        (10, -5, 0, 10),  // the server's clock was set back
    ])
    func theLimitGrowsByItself(_ slowed: Double?, _ seconds: Double?, _ ceiling: Double, _ now: Double) async throws {
        let test = try await TestDatabase.make()
        let found = try await test.texts(
            "SELECT round(push.speed(\(ceiling), \(slowed), \(seconds))::numeric, 6)::float8::text")
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
                "UPDATE push.hub_state SET slowed_at = slowed_at - make_interval(secs => \(seconds))")
        }
        #expect(try await slow(measured: 300) == 150)
        #expect(
            try await test.number("SELECT count(*) FROM push.hub_state WHERE tokens = 0 AND tokens_at = slowed_at") == 1
        )
        #expect(try await slow(measured: 300) == nil, "another worker saw the same")
        try await later(5)
        #expect(try await slow(measured: 300, age: 20) == nil, "this one left before")
        let again = try #require(try await slow(measured: 300, age: 1))
        #expect((84...150).contains(again), "half of what it had grown to: \(again)")
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', state, rate, speed_why, speed >= \(again)) FROM push.hub_health")
                == ["open hub replied 429 t"])
        try await later(3600)
        #expect(try await hubs.states().first?.slowed == nil)
        #expect(try await test.texts("SELECT concat_ws(' ', speed, speed_why, slowed_at) FROM push.hub_health") == [""])
        #expect(try await slow(measured: 0) == 10, "a first refusal of few posts says little")
        try await later(3600)
        #expect(try await slow(configured: 6, measured: 500) == 3)
        try await later(3600)
        #expect(try await slow(configured: 1, measured: 500) == 1, "never below one a second")
        // The configuration is lower still: a thousand seconds for one post.
        #expect(try await hubs.takeTokens(hub, configured: 0.001, wanted: 10).wait > 900)
        try await hubs.resume("news")
        #expect(try await hubs.states().first?.slowed == nil)
    }

    @Test func whatAPersonSetsEndsWhatWorkersDidThemselves() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        let hub = try await hubs.register(TestWorker.news)
        _ = try await hubs.slowDown(hub, configured: 0, measured: 100, age: 0, because: "429")
        try await test.database.execute("SELECT push.set_rate('news', 80)")
        #expect(try await hubs.states().first?.slowed == nil)
        #expect(try await test.texts("SELECT speed::text FROM push.hub_health") == ["80"])
    }

    @Test func aWorkerGoesByTheLowerOfTheTwoLimits() async throws {
        var settings = TestWorker.news
        settings.ratePerSecond = 50
        let worker = try await TestWorker.make(settings)
        let hub = try #require(try await worker.served(worker.test.database).first)
        #expect(hub.rate == 50)
        hub.slow(to: 20)
        #expect(hub.rate == 20)
        #expect(!hub.order(rate: nil, slowed: 40))
        #expect(hub.rate == 40)
        #expect(!hub.order(rate: nil, slowed: 90))
        #expect(hub.rate == 50)
        #expect(hub.order(rate: 0, slowed: nil), "back at full speed")
        #expect(hub.rate == 0)
        #expect(!hub.order(rate: 0, slowed: nil))
    }

    // MARK: Two workers and a hub with a limit

    @Test func twoWorkersFindTheHubsLimitAndBothGetAShare() async throws {
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
        // Fewer than one for each message, although the hub takes eight a second.
        let refused = worker.emulator.count().statuses[429, default: 0]
        #expect(refused > 0 && refused < 220, "\(refused)")
        #expect(Set(worker.taken).count == 220 && worker.taken.count == 220)
        #expect(try await worker.test.texts("SELECT speed_why FROM push.hub_health").first?.contains("429") == true)
        #expect(try await worker.lost() == [])

        // Three minutes later nothing is left of it, and nobody asks for permission any more.
        #expect(worker.emulator.removeFault(limit))
        try await worker.test.database.execute(
            "UPDATE push.hub_state SET slowed_at = slowed_at - interval '3 minutes', gate_until = NULL, tokens_at = NULL"
        )
        try await worker.enqueue(300)
        try await worker.drain()
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE tokens_at IS NULL") == 1)
        #expect(try await worker.statuses() == "accepted 520")
    }
}
