import Foundation
import HubEmulator
import TestSupport
import Testing

/// Three workers on one database under load, and one of them is killed again and again.
@Suite(.serialized) struct KilledWorkersTests {
    private static let kills = 50

    /// The same victims in every run.
    private struct Dice {
        private var state: UInt64 = 20_270_301
        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(sides))
        }
    }

    @Test func fiftyKillsLoseNothingRepeatNothingAndLeaveInDoubtAtMostWhatWasUnanswered() async throws {
        let bench = try await CrashBench()
        defer { bench.proxy.end() }
        var dice = Dice()
        var workers = try (0..<3).map { try bench.start("\($0)") }
        var (sent, unanswered) = (0, Int64(0))
        for _ in 1...Self.kills {
            try await bench.enqueue(40)
            sent += 40
            let taken = bench.worker.emulator.count().taken
            try await bench.worker.emulator.wait(untilTaken: taken + 1 + dice.roll(20))
            let victim = dice.roll(workers.count)
            let process = workers[victim]
            process.signal(SIGKILL)
            #expect(await process.ended == -SIGKILL)
            // Until the server has noticed, the last statement of the dead may still run.
            try await bench.worker.until(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE \("%/\(process.id)")"
            ) { $0 == 0 }
            let number = try await bench.number(of: process)
            unanswered += try await bench.worker.test.number(
                """
                SELECT count(*) FROM push.claim c JOIN push.post p ON p.id / 10000 = c.id
                 WHERE c.worker = \(Int32(number)) AND NOT EXISTS (SELECT FROM push.answers a WHERE a.post = p.id)
                """)
            #expect(try await bench.worker.lost() == [])
            workers[victim] = try bench.start("\(victim)")
        }
        try await bench.untilNothingIsLeft()
        for worker in workers {
            worker.signal(SIGTERM)
            #expect(await worker.ended == 0)
        }

        let doubts = try await bench.balance(sent)
        #expect(doubts <= unanswered)
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.worker") == 0)
    }
}
