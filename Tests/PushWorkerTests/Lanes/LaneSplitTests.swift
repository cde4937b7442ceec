import HubEmulator
import PushModel
import TestSupport
import Testing

/// A refused post of several contents says nothing about any one of them: it leaves again in halves.
@Suite(.timeLimit(.minutes(10))) struct LaneSplitTests {
    @Test(arguments: [400, 413])
    func aRefusedPostLeavesAgainInHalves(status: Int) async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: status))
        try await Self.enqueue(5, worker)

        let summary = try await worker.drain()

        #expect(summary.accepted == 5)
        let tags = worker.emulator.journal().compactMap(\.tags)
        #expect(tags.first == "t1 || t2 || t3 || t4 || t5")
        #expect(Set(tags.dropFirst()) == ["t1 || t2", "t3 || t4 || t5"])
        #expect(tags.count == 3)
        #expect(try await worker.statuses() == "accepted 5")
        #expect(try await worker.test.number("SELECT count(*) FROM push.claim") == 0)
        #expect(try await worker.lost() == [])
    }

    @Test func onlyTheRefusalOfASingleContentIsFinal() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.next(7), status: 400))
        try await Self.enqueue(4, worker)

        let summary = try await worker.drain()

        #expect(summary.rejected == 4)
        #expect(summary.accepted == 0)
        #expect(worker.emulator.journal().count == 7, "4, 2, 2 and four alone")
        #expect(
            try await worker.test.number(
                """
                SELECT count(*) FROM push.message_status
                 WHERE status = 'rejected' AND reason = 'bad_request' AND note ~ 'refused alone after post [0-9]+ was split'
                """) == 4)
        #expect(try await worker.test.number("SELECT count(*) FROM push.result") == 4)
        #expect(try await worker.lost() == [])
    }

    @Test func halvesAreSplitAgainWhileTheyAreRefused() async throws {
        let worker = try await TestWorker.make()
        // All eight are refused, then one half; the other half and the two quarters are taken.
        for number in [1, 2] { try worker.emulator.add(Fault(.nth(number), status: 400)) }
        try await Self.enqueue(8, worker)

        let summary = try await worker.drain()

        #expect(summary.accepted == 8)
        #expect(worker.emulator.count().taken == 3)
        #expect(try await worker.lost() == [])
    }

    @Test func aRefusedSingleContentMentionsNoSplit() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await Self.enqueue(1, worker)
        try await worker.drain()
        #expect(try await worker.test.number("SELECT count(*) FROM push.message_status WHERE note ~ 'split'") == 0)
        #expect(try await worker.statuses() == "rejected 1")
    }

    @Test func translationsAreNeverSplit() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, locale, content) VALUES
                ('news', 'World', 'en', '{"title": "Peace"}'), ('news', 'World', 'fr', '{"title": "Paix"}')
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "rejected 2")
        #expect(worker.emulator.journal().count == 1)
    }

    @Test func aHalfThatIsCancelledIsNotSent() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        // One post may leave, and the next in a hundred seconds: the halves wait until the rate is lifted.
        try await worker.test.database.execute("UPDATE push.hub_state SET rate = 0.01")
        try await Self.enqueue(4, worker)

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.answers")
            #expect(try await worker.test.texts("SELECT push.cancel(2)") == ["cancelled"])
            try await worker.test.database.execute("UPDATE push.hub_state SET rate = 0")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
        }

        #expect(try await worker.statuses() == "accepted 3, cancelled 1")
        #expect(Set(worker.emulator.journal().filter(\.taken).compactMap(\.tags)) == ["t1", "t3 || t4"])
        #expect(try await worker.lost() == [])
    }

    /// A worker that died in between left two posts of a message without an answer, as if it had been sent twice.
    @Test func theHalvesLeaveWhenTheRefusalIsRecorded() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await Self.enqueue(4, worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 4")
        let whole = "push.answer a WHERE a.verdict = 'rejected' AND push.claim_of(p.id) = push.claim_of(a.post)"
        #expect(try await worker.test.number("SELECT count(*) FROM push.post p, \(raw: whole) AND p.at > a.at") == 2)
        #expect(try await worker.test.number("SELECT count(*) FROM push.post p, \(raw: whole) AND p.at < a.at") == 1)
    }

    @Test func aStoppingWorkerGivesBackTheHalves() async throws {
        let worker = try await TestWorker.make()
        try worker.emulator.add(Fault(.nth(1), status: 400))
        try await worker.test.database.execute("UPDATE push.hub_state SET rate = 0.01")
        try await Self.enqueue(4, worker)

        let summary = try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.answers")
        }

        #expect(summary.clean)
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0") == 4)
        #expect(try await worker.lost() == [])
        try await worker.test.database.execute("UPDATE push.hub_state SET rate = NULL")
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 4")
    }

    private static func enqueue(_ count: Int, _ worker: TestWorker) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 't' || n, '{"message": "same"}' FROM generate_series(1, \(Int32(count))) n
            """)
    }
}
