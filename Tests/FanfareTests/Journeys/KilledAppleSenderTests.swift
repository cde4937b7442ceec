import Foundation
import HubEmulator
import TestSupport
import Testing

/// A worker of an APNs sender that is killed at bad moments, restarted again and again, and given another key while it sends.
@Suite(.serialized, .timeLimit(.minutes(10))) struct KilledAppleSenderTests {
    private static let messages = 60
    /// Requests that a worker may have in flight.
    private static let window = 16

    private static func enqueue(_ numbers: ClosedRange<Int>, in bench: CrashBench) async throws {
        try await bench.worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'ios', ARRAY['ab' || lpad(to_hex(n), 14, '0')], 'apple',
                   json_build_object('aps', json_build_object('alert', 'no ' || n))
              FROM generate_series(\(Int32(numbers.lowerBound)), \(Int32(numbers.upperBound))) n
            """)
    }

    private static func bench() async throws -> CrashBench { try await CrashBench(TestWorker.ios) }

    /// No statement of it runs any more.
    private static func kill(_ victim: ServiceBench.Process, of bench: CrashBench) async throws {
        victim.signal(SIGKILL)
        #expect(await victim.ended == -SIGKILL)
        let name = "%/\(victim.id)"
        try await bench.worker.test.database.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE \(name)")
        try await bench.worker.until("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE \(name)") {
            $0 == 0
        }
    }

    /// Another one finishes.
    ///
    /// - Returns: how many messages are in doubt.
    private static func finish(_ bench: CrashBench) async throws -> Int64 {
        let heir = try bench.start("heir")
        try await bench.untilNothingIsLeft()
        heir.signal(SIGTERM)
        #expect(await heir.ended == 0)
        return try await bench.balance(messages)
    }

    private static func fault(_ moment: Fault.Moment, _ change: (inout Fault) -> Void) -> Fault {
        var fault = Fault(moment)
        fault.operations = [.apns]
        change(&fault)
        return fault
    }

    @Test func whoDiesBeforeTheAnswersLeavesInDoubtAtMostWhatHadLeft() async throws {
        let bench = try await Self.bench()
        defer { bench.proxy.end() }
        try await Self.enqueue(1...Self.messages, in: bench)
        try bench.worker.emulator.add(Self.fault(.every(1)) { $0.delayMilliseconds = 600_000 })
        let victim = try bench.start("victim")
        try await bench.worker.untilStruck()
        try await Self.kill(victim, of: bench)
        bench.worker.emulator.clearFaults()
        let doubts = try await Self.finish(bench)
        #expect((1...Int64(Self.window)).contains(doubts), "\(doubts): its window is \(Self.window)")
    }

    @Test func whoDiesBetweenAnswerAndRecordLeavesInDoubtAtMostWhatHadLeft() async throws {
        let bench = try await Self.bench()
        defer { bench.proxy.end() }
        try await Self.enqueue(1...Self.messages, in: bench)
        let victim = try bench.start("victim")
        var taken = 0
        // Answers wait for this lock, intents do not.
        try await bench.worker.test.database.withTransaction { connection in
            try await connection.execute("LOCK TABLE push.answer IN EXCLUSIVE MODE")
            do {
                try await bench.worker.emulator.wait(untilTaken: 5)
                try await Self.kill(victim, of: bench)
                taken = bench.worker.emulator.count().taken
            } catch {
                Issue.record(error)
            }
        }
        let posts = try await bench.worker.test.number("SELECT count(*) FROM push.post")
        let doubts = try await Self.finish(bench)
        #expect((Int64(taken)...posts).contains(doubts), "\(doubts): APNs took \(taken) of \(posts) posts")
    }

    @Test func whoDiesWhenItsTokenHasJustBeenRefusedLeavesInDoubtAtMostWhatHadLeft() async throws {
        let bench = try await Self.bench()
        defer { bench.proxy.end() }
        try await Self.enqueue(1...Self.messages, in: bench)
        try bench.worker.emulator.add(Self.fault(.nth(20)) { $0.endsToken = true })
        let victim = try bench.start("victim")
        try await bench.worker.untilStruck()
        try await Self.kill(victim, of: bench)
        // More than its window: answers wait to be written, and their places are free.
        let unanswered = try await bench.worker.test.number(
            "SELECT count(*) FROM push.post p WHERE NOT EXISTS (SELECT FROM push.answers a WHERE a.post = p.id)")
        // The token of the heir is another one.
        let doubts = try await Self.finish(bench)
        #expect(doubts <= unanswered, "\(doubts) of \(unanswered) posts without an answer")
        #expect(try await bench.worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func anotherKeyIsTakenUpUnderLoadAndNothingIsRefused() async throws {
        let bench = try await Self.bench()
        defer { bench.proxy.end() }
        try await Self.enqueue(1...3_000, in: bench)
        let worker = try bench.start("worker")
        try await bench.worker.emulator.wait(untilTaken: 300)
        try bench.give(key: 1, to: "worker")
        worker.signal(SIGHUP)
        try await bench.log(of: "worker", says: #""msg":"reloading""#)
        try await bench.untilNothingIsLeft()
        #expect(bench.worker.emulator.journal().count { $0.status == 200 } == 3_000)
        // The former key is revoked: the worker does not use it any more.
        try bench.worker.emulator.add(Self.fault(.every(1)) { $0.rotated = .primary })
        try await Self.enqueue(3_001...3_050, in: bench)
        try await bench.untilNothingIsLeft()
        worker.signal(SIGTERM)
        #expect(await worker.ended == 0)
        #expect(try await bench.balance(3_050) == 0)
        let refused = bench.worker.emulator.journal().filter { $0.status != 200 }.map { "\($0.status ?? 0)" }
        #expect(refused == [])
    }

    /// Each has a token of its own, on connections of its own: APNs counts the tokens of a connection.
    @Test func tenRestartsInARowSendEverythingAndNoneIsRefusedItsToken() async throws {
        let bench = try await Self.bench()
        defer { bench.proxy.end() }
        for round in 0..<10 {
            try await Self.enqueue(round * 20 + 1...round * 20 + 20, in: bench)
            let worker = try bench.start("worker")
            try await bench.untilNothingIsLeft()
            worker.signal(SIGTERM)
            #expect(await worker.ended == 0)
        }
        #expect(try await bench.balance(200) == 0)
        #expect(bench.worker.emulator.journal().allSatisfy { $0.status == 200 })
    }
}
