import HubEmulator
import PushModel
import Store
import TestSupport
import Testing

/// A message is never stronger than its hub: a refusal beside good traffic is the message's own, whatever its status.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RefusalJourneyTests {
    /// What is refused.
    enum Kind: String, CaseIterable, Sendable {
        case single, packed, batch
    }

    /// 403 speaks of a quota; with a web page it has no words of the service. 401 is about the token unless the hub takes
    /// the same token meanwhile, so its answer comes late enough for good posts to leave beside it.
    static let refusals = [
        #""status":403"#, #""status":403,"html":true"#, #""status":404"#, #""status":307"#, #""status":407"#,
        #""status":501"#, #""status":505"#, #""status":401,"delayMs":300"#,
    ]

    @Test(arguments: refusals, Kind.allCases)
    func besideGoodTrafficARefusalIsTheMessagesOwn(refusal: String, kind: Kind) async throws {
        var first = try await TestWorker.make()
        first.settings.probeSeconds = 15
        first.settings.backoff = Backoff(base: 0.02, cap: 0.1)
        let worker = first
        let which = kind == .batch ? #""operation":"batch""# : #""tag":"bad""#
        for fault in try Fault.list(json: Array("{\(which),\(refusal)}".utf8)) { try worker.emulator.add(fault) }

        try await worker.whileWorking { _ in
            try await worker.enqueue(3)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
            let bad = try await Self.enqueue(kind, worker)
            // Good traffic goes on until the others have come to their end.
            var good: Int64 = 3
            repeat {
                try await Self.enqueueAndWaitForARequest(worker)
                good += 1
            } while try await worker.test.number(
                """
                SELECT count(*) FROM push.message_status
                 WHERE target <> 'World' AND status IN ('accepted', 'rejected')
                """) < bad
            try await worker.until(
                "SELECT count(*) FROM push.message_status WHERE target = 'World' AND status = 'accepted'"
            ) { [good] in $0 == good }
        }

        #expect(worker.longestGap < 10, "a hold would have lasted for 15 s")
        let ends = try await worker.test.texts(
            """
            SELECT target || ' ' || status || ' ' || reason
              FROM push.message_status WHERE target <> 'World' ORDER BY 1
            """)
        switch kind {
        case .single: #expect(ends == ["bad rejected attempts_exhausted"])
        case .packed:
            #expect(ends.filter { $0.hasPrefix("bad") } == ["bad rejected attempts_exhausted"])
            #expect(ends.count { $0.hasPrefix("t") && $0.contains("accepted") } == 4)
        case .batch: #expect(ends.count { $0.hasPrefix("1 handle accepted") } == 2)
        }
        if kind != .batch {
            let note =
                try await worker.test.texts("SELECT note FROM push.message_status WHERE target = 'bad'").first ?? ""
            #expect(note.hasPrefix("10 attempts while others succeeded; last: hub replied "), "\(note)")
        }
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        // What the hub took is what is recorded: no message left twice.
        let accepted = try await worker.test.number("SELECT count(*) FROM push.answers WHERE verdict = 'accepted'")
        #expect(worker.taken.count == accepted)
        #expect(try await worker.lost() == [])
    }

    /// One more good message; any request will do, because it may share a post with a bad one.
    private static func enqueueAndWaitForARequest(_ worker: TestWorker) async throws {
        let before = worker.emulator.journal().count
        try await worker.enqueue(1)
        try await Awaited.until("the next request") {
            let requests = worker.emulator.journal().count
            return (requests, requests > before)
        }
    }

    /// - Returns: how many messages.
    private static func enqueue(_ kind: Kind, _ worker: TestWorker) async throws -> Int64 {
        switch kind {
        case .single:
            try await worker.enqueue(1, tag: "bad")
            return 1
        case .packed:
            try await worker.test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content)
                SELECT 'news', tag, '{"message": "the same"}' FROM unnest(ARRAY['t1', 't2', 'bad', 't3', 't4']) tag
                """)
            return 5
        case .batch:
            try await worker.test.database.execute(
                """
                INSERT INTO push.message (hub, handles, format, content) VALUES
                    ('news', '{A1}', 'apple', '{"aps":{"alert":"same"}}'), ('news', '{A2}', 'apple', '{"aps":{"alert":"same"}}')
                """)
            return 2
        }
    }

    // MARK: A process that has not seen a success yet

    @Test(arguments: [403, 404, 501]) func aRefusedFirstMessageBlocksNobody(status: Int) async throws {
        let worker = try await Self.worker(probeSeconds: 60)
        var fault = Fault(.every(1), status: status)
        fault.tag = "bad"
        try worker.emulator.add(fault)
        try await worker.enqueue(1, tag: "bad")

        try await worker.whileWorking { _ in
            try await worker.untilStruck()
            try await worker.enqueue(20)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
        }

        let times = worker.emulator.journal().map(\.elapsed)
        #expect(
            try #require(times.last) - times[0] < 30, "the hub is tried with another message before a minute has passed"
        )
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        // The end of a hold makes it due; refused again beside others that are taken, it costs attempts.
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt < 10") == 1)
    }

    /// The oldest messages are refused, more of them than are tried before a hold; younger ones come.
    @Test func manyRefusedMessagesDoNotKeepAHubHeld() async throws {
        let worker = try await Self.worker(probeSeconds: 0.4)
        var fault = Fault(.every(1), status: 403)
        fault.tag = "bad"
        try worker.emulator.add(fault)
        try await worker.enqueue(300, tag: "bad")

        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            // With each refusal comes a younger one.
            repeat {
                try await Self.enqueueAndWaitForARequest(worker)
            } while worker.taken.isEmpty
        }

        #expect(worker.emulator.count().statuses[403, default: 0] < 250, "not only after all of them were tried")
        #expect(try await worker.lost() == [])
    }

    // MARK: Tiers

    /// The packer makes a batch of two messages with one handle each, and the free tier has no batches.
    @Test func aTierWithoutBatchesGetsTheMessagesOneByOne() async throws {
        let worker = try await TestWorker.make(tier: .free)
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content) VALUES
                ('news', '{A1}', 'apple', '{"aps":{"alert":"same"}}'), ('news', '{A2}', 'apple', '{"aps":{"alert":"same"}}')
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 2")
        let kinds = worker.emulator.journal().map { "\($0.kind) \($0.status ?? 0)" }
        #expect(kinds == ["batch 403", "direct 201", "direct 201"])
        #expect(try worker.emulator.inbox(ofHandle: "A2", at: "breaking-news").count == 1)
        #expect(
            try await worker.test.texts("SELECT verdict::text FROM push.answers ORDER BY post")
                == ["quota_exceeded", "accepted", "accepted"])
    }

    /// It learns that from the first batch.
    @Test func theNextMessagesDoNotBecomeABatch() async throws {
        let worker = try await TestWorker.make(tier: .free)
        try await worker.whileWorking { _ in
            for round in 1...3 {
                try await worker.test.database.execute(
                    """
                    INSERT INTO push.message (hub, handles, format, content)
                    SELECT 'news', ARRAY[lpad(n::text, 4, '0')], 'apple', '{"aps":{"alert":"same"}}' FROM generate_series(1, 10) n
                    """)
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") {
                    $0 == round * 10
                }
            }
        }
        #expect(worker.emulator.journal().count { $0.kind == .batch } <= 2, "the second lane may not know it yet")
        #expect(worker.emulator.journal().count { $0.kind == .direct } == 30)
    }

    /// The review of the first edition: good messages beside one with two handles; none was sent in the first 70 s.
    @Test func oneMessageToTwoHandlesOnATierWithoutBatchesEndsAlone() async throws {
        var first = try await TestWorker.make(tier: .free)
        first.settings.backoff = Backoff(base: 0.02, cap: 0.1)
        let worker = first
        try await worker.whileWorking { _ in
            try await worker.test.database.execute(
                """
                INSERT INTO push.message (hub, handles, format, content)
                VALUES ('news', '{A1,A2}', 'apple', '{"aps":{"alert":"x"}}')
                """)
            for good in Int64(1)...60 {
                try await worker.enqueue(1)
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == good }
            }
        }
        #expect(worker.longestGap < 20)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.lost() == [])
    }

    private static func worker(probeSeconds: Double) async throws -> TestWorker {
        var hub = TestWorker.news
        hub.packTags = false
        var worker = try await TestWorker.make(hub)
        worker.settings.probeSeconds = probeSeconds
        return worker
    }
}

extension TestWorker {
    /// Seconds between two good posts, at most.
    fileprivate var longestGap: Double {
        let times = emulator.journal().filter(\.taken).map(\.elapsed)
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .infinity
    }
}
