import Testing

@testable import HubEmulator

@Suite struct JournalTests {
    @Test func twoThousandSendsAtOnceAreEachCountedOnce() async throws {
        try await Bench.run { bench in
            let connections = 40
            let each = 50
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in 0..<connections {
                    group.addTask {
                        let client = try bench.client()
                        for number in 0..<each {
                            let body = #"{"n":"\#(connection * each + number)"}"#
                            try await client.write(bench.send(to: "user_\(number)", body))
                            #expect(try await client.reply().status == 201)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await bench.emulator.wait(untilTaken: connections * each, hub: "News")
            let journal = bench.emulator.journal(hub: "NEWS")
            #expect(bench.emulator.count().taken == 2_000)
            #expect(journal.map(\.number) == Array(1...2_000))
            #expect(Set(journal.compactMap(\.body)) == Set((0..<2_000).map { #"{"n":"\#($0)"}"# }))
            #expect(Set(journal.compactMap(\.tracking)).count == 2_000)
        }
    }

    private func entry(_ body: String, hub: String = "a", taken: Bool = true) -> JournalEntry {
        JournalEntry(
            number: 0, hub: hub, at: 0, elapsed: 0, status: taken ? 201 : 400, taken: taken, body: body, reached: 0)
    }

    private func ledger(entries: Int = 100, bodies: KeptBodies = .all, shown: Int = 100, handles: Int = 100)
        -> Journal
    {
        Journal(
            hubs: ["a", "b"], keptEntries: entries, keptBodies: bodies, keptShown: shown, keptHandles: handles)
    }

    @Test func oldEntriesAreForgottenAndStayCounted() {
        let ledger = ledger(entries: 10)
        for number in 1...5_000 { ledger.record(entry("\(number)")) }
        #expect(ledger.entries(after: 0, hub: nil, limit: .max).map(\.number) == Array(4_991...5_000))
        #expect(ledger.entries(after: 4_995, hub: nil, limit: 2).map(\.number) == [4_996, 4_997])
        #expect(ledger.entries(after: 5_000, hub: nil, limit: .max).isEmpty)
        #expect(ledger.entries(after: .max, hub: nil, limit: .max).isEmpty)
        #expect(ledger.entries(after: .min, hub: nil, limit: 1).map(\.number) == [4_991])
        #expect(ledger.count(hub: nil).taken == 5_000)
    }

    @Test(arguments: [(KeptBodies.all, ["1", "2", "3"]), (.none, []), (.last(2), ["2", "3"]), (.last(0), [])])
    func bodiesAreKeptAsOrdered(bodies: KeptBodies, kept: [String]) {
        let ledger = ledger(bodies: bodies)
        for body in ["1", "2", "3"] { ledger.record(entry(body)) }
        #expect(ledger.entries(after: 0, hub: nil, limit: .max).compactMap(\.body) == kept)
    }

    @Test func anInboxKeepsTheNewestPushes() {
        let ledger = ledger(shown: 3)
        let device = InboxKey.device("d", hub: "a")
        for number in 1...10 {
            let push = ReceivedPush(number: 0, at: 0, payload: "\(number)")
            ledger.record(entry("x"), [Push(inboxes: [device], shown: push)])
        }
        #expect(ledger.inbox(of: device).map(\.payload) == ["8", "9", "10"])
        #expect(ledger.inbox(of: device).map(\.number) == [8, 9, 10])
    }

    @Test func theOldestHandlesLoseTheirInbox() {
        let ledger = ledger(handles: 3)
        for number in 1...5_000 {
            let handle = InboxKey.handle("h\(number % 2_000)", hub: "a")
            let push = Push(inboxes: [handle], shown: ReceivedPush(number: 0, at: 0, payload: "\(number)"))
            ledger.record(entry("x"), [push])
        }
        #expect(ledger.handles(hub: "a") == ["h1000", "h998", "h999"])
        #expect(ledger.handles(hub: "b").isEmpty)
        #expect(ledger.inbox(of: .handle("h1000", hub: "a")).map(\.payload) == ["5000"])
        #expect(ledger.inbox(of: .handle("h997", hub: "a")).isEmpty)
        ledger.clear()
        #expect(ledger.handles(hub: "a").isEmpty)
        #expect(ledger.inbox(of: .handle("h1000", hub: "a")).isEmpty)
    }

    @Test func hubsAreCountedApartAndStrangersOnlyInTheTotal() {
        let ledger = ledger()
        for hub in ["a", "a", "b", "stranger"] { ledger.record(entry("x", hub: hub, taken: hub != "stranger")) }
        #expect(ledger.count(hub: "a").taken == 2)
        #expect(ledger.count(hub: "b").taken == 1)
        #expect(ledger.count(hub: "stranger") == JournalCount())
        #expect(ledger.count(hub: nil) == JournalCount(taken: 3, refused: 1, statuses: [201: 3, 400: 1]))
        #expect(ledger.entries(after: 0, hub: "b", limit: .max).map(\.number) == [3])
    }

    @Test func numbersGoOnAfterClearing() {
        let ledger = ledger()
        ledger.record(entry("x"))
        ledger.clear()
        #expect(ledger.count(hub: nil) == JournalCount())
        ledger.record(entry("x"))
        #expect(ledger.entries(after: 0, hub: nil, limit: .max).map(\.number) == [2])
    }

    @Test func whoWaitsIsWokenByTheSendThatWasMissing() async throws {
        let ledger = ledger()
        try await ledger.wait(taken: 0, hub: nil)
        async let three: Void = ledger.wait(taken: 3, hub: nil)
        async let two: Void = ledger.wait(taken: 2, hub: "b")
        for hub in ["a", "b", "b"] { ledger.record(entry("x", hub: hub)) }
        try await three
        try await two
    }

    @Test func aCancelledWaitEnds() async {
        let ledger = ledger()
        let waiting = Task { try await ledger.wait(taken: 1, hub: nil) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
