import Testing

@testable import HubEmulator

@Suite struct JournalTests {
    @Test func concurrentSendsAreCountedOnceEach() async throws {
        try await EmulatorFixture.run { fixture in
            let connections = 40
            let each = 50
            try await withThrowingTaskGroup(of: Void.self) { group in
                for connection in 0..<connections {
                    group.addTask {
                        let client = try fixture.client()
                        for number in 0..<each {
                            let body = #"{"n":"\#(connection * each + number)"}"#
                            try await client.write(fixture.send(to: "user_\(number)", body))
                            #expect(try await client.reply().status == 201)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await fixture.emulator.wait(untilTaken: connections * each, hub: "News")
            let journal = fixture.emulator.journal(hub: "NEWS")
            #expect(fixture.emulator.count().taken == 2_000)
            #expect(journal.map(\.number) == Array(1...2_000))
            #expect(Set(journal.compactMap(\.body)) == Set((0..<2_000).map { #"{"n":"\#($0)"}"# }))
            #expect(Set(journal.compactMap(\.tracking)).count == 2_000)
        }
    }

    private func entry(_ body: String, hub: String = "a", taken: Bool = true) -> JournalEntry {
        JournalEntry(
            number: 0, hub: hub, at: 0, elapsed: 0, status: taken ? 201 : 400, taken: taken, body: body, reached: 0)
    }

    private func journal(entries: Int = 100, bodies: KeptBodies = .all, shown: Int = 100, handles: Int = 100)
        -> Journal
    {
        Journal(
            hubs: ["a", "b"], keptEntries: entries, keptBodies: bodies, keptPushesPerInbox: shown, keptHandles: handles)
    }

    @Test func oldEntriesAreDroppedButStayCounted() {
        let journal = journal(entries: 10)
        for number in 1...5_000 { journal.record(entry("\(number)")) }
        #expect(journal.entries(after: 0, hub: nil, limit: .max).map(\.number) == Array(4_991...5_000))
        #expect(journal.entries(after: 4_995, hub: nil, limit: 2).map(\.number) == [4_996, 4_997])
        #expect(journal.entries(after: 5_000, hub: nil, limit: .max).isEmpty)
        #expect(journal.entries(after: .max, hub: nil, limit: .max).isEmpty)
        #expect(journal.entries(after: .min, hub: nil, limit: 1).map(\.number) == [4_991])
        #expect(journal.count(hub: nil).taken == 5_000)
    }

    @Test(arguments: [(KeptBodies.all, ["1", "2", "3"]), (.none, []), (.last(2), ["2", "3"]), (.last(0), [])])
    func bodiesAreKeptAsConfigured(bodies: KeptBodies, kept: [String]) {
        let journal = journal(bodies: bodies)
        for body in ["1", "2", "3"] { journal.record(entry(body)) }
        #expect(journal.entries(after: 0, hub: nil, limit: .max).compactMap(\.body) == kept)
    }

    @Test func anInboxKeepsTheNewestPushes() {
        let journal = journal(shown: 3)
        let device = InboxKey.device("d", hub: "a")
        for number in 1...10 {
            let push = ReceivedPush(number: 0, at: 0, payload: "\(number)")
            journal.record(entry("x"), [Push(inboxes: [device], shown: push)])
        }
        #expect(journal.inbox(of: device).map(\.payload) == ["8", "9", "10"])
        #expect(journal.inbox(of: device).map(\.number) == [8, 9, 10])
    }

    @Test func theOldestHandlesLoseTheirInbox() {
        let journal = journal(handles: 3)
        for number in 1...5_000 {
            let handle = InboxKey.handle("h\(number % 2_000)", hub: "a")
            let push = Push(inboxes: [handle], shown: ReceivedPush(number: 0, at: 0, payload: "\(number)"))
            journal.record(entry("x"), [push])
        }
        #expect(journal.handles(hub: "a") == ["h1000", "h998", "h999"])
        #expect(journal.handles(hub: "b").isEmpty)
        #expect(journal.feed.activeCount(hub: "a") == 3)
        #expect(journal.inbox(of: .handle("h1000", hub: "a")).map(\.payload) == ["5000"])
        #expect(journal.inbox(of: .handle("h997", hub: "a")).isEmpty)
        journal.clear()
        #expect(journal.handles(hub: "a").isEmpty)
        #expect(journal.inbox(of: .handle("h1000", hub: "a")).isEmpty)
    }

    @Test func hubsAreCountedSeparately() {
        let journal = journal()
        for hub in ["a", "a", "b", "stranger"] { journal.record(entry("x", hub: hub, taken: hub != "stranger")) }
        #expect(journal.count(hub: "a").taken == 2)
        #expect(journal.count(hub: "b").taken == 1)
        #expect(journal.count(hub: "stranger") == JournalCount())
        #expect(journal.count(hub: nil) == JournalCount(taken: 3, refused: 1, statuses: [201: 3, 400: 1]))
        #expect(journal.entries(after: 0, hub: "b", limit: .max).map(\.number) == [3])
    }

    @Test func numbersContinueAfterClearing() {
        let journal = journal()
        journal.record(entry("x"))
        journal.clear()
        #expect(journal.count(hub: nil) == JournalCount())
        journal.record(entry("x"))
        #expect(journal.entries(after: 0, hub: nil, limit: .max).map(\.number) == [2])
    }

    @Test func aWaitEndsWithTheLastMissingSend() async throws {
        let journal = journal()
        try await journal.wait(taken: 0, hub: nil)
        async let three: Void = journal.wait(taken: 3, hub: nil)
        async let two: Void = journal.wait(taken: 2, hub: "b")
        for hub in ["a", "b", "b"] { journal.record(entry("x", hub: hub)) }
        try await three
        try await two
    }

    @Test func aCancelledWaitEnds() async {
        let journal = journal()
        let waiting = Task { try await journal.wait(taken: 1, hub: nil) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
