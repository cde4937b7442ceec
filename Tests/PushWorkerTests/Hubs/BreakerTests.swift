import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

@testable import PushWorker

/// A real worker and a hub that nothing gets through to: posts leave one by one until the hub takes one.
@Suite(.timeLimit(.minutes(10))) struct BreakerTests {
    /// Posts can only arrive late, and a pause begins when a failure is known: so a gap is never shorter than its pause.
    @Test func afterEachPauseOnlyOnePostLeaves() async throws {
        var hub = TestWorker.news
        hub.packTags = false
        let worker = try await TestWorker.make(hub)
        try await worker.enqueue(200)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 200 }
            // The window is wide now. From here on every post fails.
            try worker.emulator.add(Fault(.every(1), status: 500))
            worker.emulator.clearJournal()
            try await worker.enqueue(200)
            // Until the breaker has opened for the third time, which is the longest pause so far.
            try await worker.until(
                "SELECT count(*) FROM push.hub_state WHERE broken_until - changed_at > interval '3.9 s'")
            #expect(
                try await worker.test.texts("SELECT state || ': ' || why FROM push.hub_health").first?.hasPrefix(
                    "failing: hub replied 500") == true)
            worker.emulator.clearFaults()
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 400 }
        }

        // Many were in flight when it first opened; the last two were tried alone.
        let tries = worker.emulator.journal().filter { $0.status == 500 }.map(\.elapsed).suffix(2)
        #expect(try #require(tries.last) - (try #require(tries.first)) >= 2)
        #expect(try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE broken_until IS NULL") == 1)
        #expect(Set(worker.taken).count == 200)
        #expect(try await worker.lost() == [])
    }

    /// A worker that begins while another one gets nothing through tries with a single post.
    @Test func oneWorkersFailuresSpareTheOthersTheirs() async throws {
        var hub = TestWorker.news
        hub.packTags = false
        let worker = try await TestWorker.make(hub)
        let hubs = Hubs(database: worker.test.database)
        let id = try await hubs.register(hub)
        try await hubs.openBreaker(id, seconds: 3600, because: "could not connect")
        #expect(
            try await worker.test.texts("SELECT state || ': ' || why FROM push.hub_health") == [
                "failing: could not connect"
            ])
        try worker.emulator.add(Fault(.next(2), status: 500))
        try await worker.enqueue(50)

        try await worker.drain()

        // One failure, then a second one after a pause, each alone. Without the warning it would have needed five.
        let times = worker.emulator.journal().map(\.elapsed)
        #expect(worker.emulator.count().statuses == [500: 2, 201: 50])
        #expect(times[1] - times[0] >= 2)
        #expect(times[2] - times[1] >= 4)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func aLongerPauseIsKeptAndAPersonEndsIt() async throws {
        let worker = try await TestWorker.make()
        let hubs = Hubs(database: worker.test.database)
        let id = try await hubs.register(TestWorker.news)
        try await hubs.openBreaker(id, seconds: 3600, because: "could not connect")
        try await hubs.openBreaker(id, seconds: 1, because: "timed out")
        let broken = try #require(try await hubs.states().first?.broken)
        #expect(broken > 3000)
        try await hubs.resume("news")
        #expect(try await hubs.states().first?.broken == nil)
        try await hubs.openBreaker(id, seconds: 1, because: "timed out")
        try await hubs.closeBreaker(id)
        #expect(try await hubs.states().first?.broken == nil)
    }
}
