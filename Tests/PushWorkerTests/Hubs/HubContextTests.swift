import PushModel
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

@Suite(.timeLimit(.minutes(10))) struct HubContextTests {
    @Test func theLowerOfTheTwoLimitsCounts() async throws {
        var settings = TestWorker.news
        settings.ratePerSecond = 50
        let worker = try await TestWorker.make(settings)
        let hub = try #require(try await worker.hubContexts(worker.test.database).first)
        #expect(hub.rate == 50)
        hub.slow(to: 20)
        #expect(hub.rate == 20)
        #expect(!hub.limit(to: nil, slowed: 40))
        #expect(hub.rate == 40)
        #expect(!hub.limit(to: nil, slowed: 90))
        #expect(hub.rate == 50)
        #expect(hub.limit(to: 0, slowed: nil), "back at full speed")
        #expect(hub.rate == 0)
        #expect(!hub.limit(to: 0, slowed: nil))
    }

    /// Most hubs never have a rate, and a task for each would cost a worker with thousands of them.
    @Test(arguments: ["configured", "set", "slowed"])
    func aLimiterBeginsOnceTheHubHasARate(_ how: String) async throws {
        var settings = TestWorker.news
        settings.ratePerSecond = how == "configured" ? 5 : 0
        let worker = try await TestWorker.make(settings)
        let hub = try #require(try await worker.hubContexts(worker.test.database).first)
        let begun = Mutex<[Int32]>([])
        hub.whenLimited { hub in begun.withLock { $0.append(hub.id) } }
        #expect(begun.withLock { $0 } == (how == "configured" ? [hub.id] : []))
        hub.limit(to: nil)
        if how == "set" { hub.limit(to: 7) }
        if how == "slowed" { hub.slow(to: 7) }
        #expect(begun.withLock { $0 } == [hub.id])
        hub.limit(to: 0)
        hub.limit(to: 7)
        #expect(begun.withLock { $0 } == [hub.id], "it goes on until the worker stops")
    }

    @Test func aClaimHoldsWhatCanLeaveInTwoSeconds() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 7
        hub.packTags = false
        let worker = try await TestWorker.make(hub)
        let context = try #require(try await worker.hubContexts(worker.test.database).first)
        #expect(context.appetite(limit: 1000) == 14)
        context.limit(to: 0.1)
        #expect(context.appetite(limit: 1000) == 1)
        context.limit(to: 0)
        #expect(context.appetite(limit: 1000) == 100, "as without a rate")
        context.limit(to: nil)
        #expect(context.appetite(limit: 10) == 10)
    }

    @Test func aClaimFillsAPostHoweverLowTheRate() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 1
        let worker = try await TestWorker.make(hub)
        let context = try #require(try await worker.hubContexts(worker.test.database).first)
        #expect(context.appetite(limit: 1000) == 20)
        context.throughput.answered(1, messages: 20, now: 0)
        for second in 1...20 { context.throughput.answered(1, messages: 20, now: Double(second)) }
        #expect((38...40).contains(context.appetite(limit: 1000)), "two posts of twenty in two seconds")
    }

    /// Whether the hub asked us or another worker to wait, or refuses everybody.
    @Test func afterALongWaitTheFirstPostLeavesAlone() async throws {
        for isShared in [true, false] {
            let worker = try await TestWorker.make()
            let hub = try #require(try await worker.hubContexts(worker.test.database).first)
            hub.window.release(0, answered: 64)
            if isShared {
                hub.gate.learn(Hubs.State(hub: 1, gate: 10), now: 100)
            } else {
                _ = hub.gate.close(until: 110, now: 100)
            }
            hub.turnAwayIfClosed(now: 100)
            #expect(hub.window.size == 64, "a short wait says little")
            if isShared {
                hub.gate.learn(Hubs.State(hub: 1, gate: 3600), now: 200)
            } else {
                _ = hub.gate.close(until: 3800, now: 200)
            }
            hub.turnAwayIfClosed(now: 200)
            #expect(hub.window.size == 1)
        }
    }
}
