import HubEmulator
import PushModel
import TestSupport
import Testing

@testable import PushWorker

/// No hub waits for another hub, and no priority class for more than what is in flight of another.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    private static var sports: HubSettings { HubSettings(name: "sports", hub: "sports") }

    @Test(arguments: ["throttled", "unavailable", "refused", "held", "paused", "hanging", "rate"])
    func troubleWithOneHubDelaysNoOther(trouble: String) async throws {
        var news = TestWorker.news
        if trouble == "rate" { news.ratePerSecond = 1 }
        var worker = try await TestWorker.make(news, Self.sports)
        worker.transport.slots = 16  // fewer than the windows of both
        worker.settings.drainSeconds = 0.2
        var fault = Fault(.every(1), hub: "breaking-news")
        switch trouble {
        case "throttled":
            fault.status = 429
            fault.retryAfter = .seconds(600)
        case "unavailable": fault.status = 503
        case "refused": fault.status = 401
        case "held": fault.status = 404
        case "hanging": fault.delayMilliseconds = 600_000
        case "paused": try await worker.test.database.execute("SELECT push.pause_hub('news')")
        default: break
        }
        if trouble != "paused", trouble != "rate" { try worker.emulator.add(fault) }
        try await worker.enqueue(200)
        try await worker.enqueue(200, to: "sports")
        let working = worker

        let summary = try await worker.whileWorking { _ in
            try await working.emulator.wait(untilTaken: 200, hub: "sports")
            try await working.until(
                "SELECT count(*) FROM push.result r JOIN push.message m USING (id) WHERE m.hub = 'sports' AND r.status = 'accepted'"
            ) { $0 == 200 }
        }

        #expect(summary.rejected == 0)
        let lost = try await worker.lost()
        #expect(lost == [])
        #expect(worker.emulator.count(hub: "breaking-news").taken < 100)
    }

    @Test func aHubClosedForLongGetsItsMessagesBackIntoDue() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.every(1), status: 429)
        fault.retryAfter = .seconds(600)
        try worker.emulator.add(fault)
        try await worker.enqueue(300)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_state WHERE gate_until > now()")
            try await worker.until("SELECT count(*) FROM push.due") { $0 == 300 }
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
        }

        #expect(try await worker.test.number("SELECT max(attempt) FROM push.due") == 0)
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE reason = 'hub_closed'") > 0)
        #expect(try await worker.lost() == [])
    }

    @Test func aHubClosedForAMomentKeepsItsClaim() async throws {
        let worker = try await TestWorker.make()
        var fault = Fault(.nth(3), status: 429)
        fault.retryAfter = .milliseconds(300)
        try worker.emulator.add(fault)
        try await worker.enqueue(300)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 300")
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE reason = 'hub_closed'") == 0)
        #expect(try await worker.lost() == [])
    }

    @Test func urgentMessagesPassABulkThatIsUnderWay() async throws {
        var hub = TestWorker.news
        hub.window = 4
        let worker = try await TestWorker.make(hub)
        var slow = Fault(.every(1))
        slow.delayMilliseconds = 250  // the hub is the bottleneck, not a busy machine
        try worker.emulator.add(slow)
        try await worker.enqueue(600, tag: "bulk", options: "priority=2")

        try await worker.whileWorking { _ in
            try await worker.emulator.wait(untilTaken: 40)
            try await worker.enqueue(40, tag: "urgent", options: "priority=0")
            try await worker.until(
                """
                SELECT count(*) FROM push.result r JOIN push.message m USING (id)
                 WHERE m.priority = 0 AND r.status = 'accepted'
                """
            ) { $0 == 40 }
        }

        let tags = worker.emulator.journal().compactMap(\.tags)
        let first = try #require(tags.firstIndex(of: "urgent"))
        let last = try #require(tags.lastIndex(of: "urgent"))
        // 40 urgent ones at 16 : 1: about three bulk posts get in between, and what was in flight. The bound of ten times
        // that is for a slow machine; without weights there would be forty.
        #expect(tags[first...last].count { $0 == "bulk" } < 30)
    }

    /// Bulk posts whose answers never come fill the window of a worker that has just begun, or has grown.
    @Test(arguments: [1, 16]) func urgentMessagesWaitForNoBulkPost(window: Int) async throws {
        var hub = TestWorker.news
        hub.window = window
        var worker = try await TestWorker.make(hub)
        worker.transport.slots = window
        worker.settings.drainSeconds = 0.2
        var hanging = Fault(.every(1))
        hanging.tag = "bulk"
        hanging.delayMilliseconds = 600_000
        try worker.emulator.add(hanging)
        try await worker.enqueue(50, tag: "normal")
        let working = worker

        try await worker.whileWorking { _ in
            try await working.emulator.wait(untilTaken: 50)
            try await working.enqueue(100, tag: "bulk", options: "priority=2")
            try await working.until("SELECT count(*) FROM push.post") { $0 >= 50 + window }
            try await Awaited.until("the window is full of bulk posts") {
                let struck = working.emulator.faults.reduce(0) { $0 + $1.struck }
                return (struck, struck >= window)
            }
            try await working.enqueue(20, tag: "urgent", options: "priority=0")
            try await working.until(
                "SELECT count(*) FROM push.result r JOIN push.message m USING (id) WHERE m.priority = 0"
            ) { $0 == 20 }
        }
        #expect(worker.emulator.count().taken >= 70)
        #expect(try await worker.lost() == [])
    }
}
