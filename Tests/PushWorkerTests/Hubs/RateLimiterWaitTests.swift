import PushModel
import TestSupport
import Testing

@testable import PushWorker

/// How a worker asks for the permissions of a rate: seldom, and whatever the database does.
@Suite(.timeLimit(.minutes(10))) struct RateLimiterWaitTests {
    private let time = ManualTime()
    private let log = LogRecorder()

    private static func hub(rate: Int) throws -> HubContext {
        var settings = HubSettings(name: "news", hub: "breaking-news")
        settings.ratePerSecond = rate
        return try HubContext.make(3, settings)
    }

    /// Runs the limiter until as many posts were allowed to leave, one after the other, and ends it.
    private func send(_ posts: Int, to hub: HubContext, _ bucket: MemoryBucket) async throws {
        let limiter = RateLimiter(hub: hub, hubs: bucket, log: log.logger, sleep: time.sleep)
        let running = Beside { await limiter.run() }
        let lane = Beside {
            for _ in 0..<posts {
                let places = await hub.window.take(upTo: 1)
                hub.window.release(places, answered: places)
            }
        }
        do {
            try await lane.untilOver("\(posts) posts that may leave")
            hub.window.endOfRate()
            try await running.untilOver("a limiter that ends")
        } catch {
            hub.window.endOfRate()
            hub.window.turnAway()
            throw error
        }
    }

    @Test(arguments: [(40, 10), (1_000, 250), (3, 1), (1, 1)])
    func itTakesAQuarterOfASecondsWorth(_ rate: Int, _ quarter: Int32) async throws {
        let bucket = MemoryBucket()
        try await send(1, to: try Self.hub(rate: rate), bucket)
        #expect(bucket.questions == [.init(hub: 3, configured: Double(rate), wanted: quarter)])
        #expect(time.slept == [], "the bucket had them")
    }

    @Test func itAsksOnceForManyPosts() async throws {
        let bucket = MemoryBucket()
        try await send(21, to: try Self.hub(rate: 40), bucket)
        #expect(bucket.questions.map(\.wanted) == [10, 10, 10])
        #expect(bucket.returned == [9])
    }

    @Test func aRateThatAPersonSetCounts() async throws {
        let hub = try Self.hub(rate: 40)
        hub.limit(to: 8)
        let bucket = MemoryBucket()
        try await send(1, to: hub, bucket)
        #expect(bucket.questions == [.init(hub: 3, configured: 40, wanted: 2)])
    }

    /// Not for every single post, and half a second at most, because the rate may be raised.
    @Test func itWaitsWhileTheBucketIsEmpty() async throws {
        let bucket = MemoryBucket([
            .tokens(0, wait: 0.3), .tokens(0, wait: 0.001), .tokens(0, wait: 20), .tokens(1, wait: 0.1),
        ])
        try await send(2, to: try Self.hub(rate: 40), bucket)
        #expect(time.slept == [0.3, 0.05, 0.5, 0.1])
        #expect(bucket.questions.map(\.wanted) == [10, 10, 10, 10, 10])
    }

    @Test func whatIsLeftAtTheEndGoesBack() async throws {
        let bucket = MemoryBucket()
        try await send(3, to: try Self.hub(rate: 40), bucket)
        #expect(bucket.returned == [7])
    }

    @Test func nothingGoesBackWhenAllWasUsed() async throws {
        let bucket = MemoryBucket()
        try await send(10, to: try Self.hub(rate: 40), bucket)
        #expect(bucket.returned == [])
    }

    @Test func aDatabaseThatIsAwayIsAskedAgain() async throws {
        let bucket = MemoryBucket([.failed(.away), .failed(.refusal)])
        try await send(1, to: try Self.hub(rate: 40), bucket)
        #expect(bucket.questions.count == 3)
        #expect(time.slept == [0.5, 0.5])
        let lines = log.fields(of: "cannot ask how many posts the rate allows; trying again")
        #expect(lines.map { $0["hub"] } == ["news", "news"])
    }

    @Test func aDatabaseThatTakesNothingBackKeepsNoWorkerFromEnding() async throws {
        try await send(1, to: try Self.hub(rate: 40), MemoryBucket(refusesReturns: true))
        #expect(log.fields(of: "cannot give back what a rate allowed").count == 1)
    }

    @Test func aHubWithoutARateAsksNothing() async throws {
        let bucket = MemoryBucket()
        try await send(5, to: try Self.hub(rate: 0), bucket)
        #expect(bucket.questions.isEmpty && bucket.returned.isEmpty)
    }
}
