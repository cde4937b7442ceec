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
            let taken = bench.worker.emulator.count().taken
            try await bench.enqueue(40)
            sent += 40
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

    private static let devices = 1_000

    /// What is asked for each device, one after the other.
    private static let rounds = [
        "push.put_device('news', 'phone-' || n, 'apns', '0000', tags => '{first}')",
        "push.patch_device('news', 'phone-' || n, add_tags => '{second}')",
        "push.put_device('news', 'phone-' || n, 'apns', lpad(to_hex(n), 8, '0'), tags => '{third}')",
        "push.patch_device('news', 'phone-' || n, add_tags => '{fourth}', remove_tags => '{third}')",
        """
        CASE n % 5 WHEN 0 THEN push.drop_device('news', 'phone-' || n)
                   ELSE push.patch_device('news', 'phone-' || n, add_tags => '{fifth}') END
        """,
    ]

    @Test func killsInTheMiddleOfFiveThousandChangesLoseNoneAndLeaveEachDeviceRight() async throws {
        let bench = try await CrashBench()
        defer { bench.proxy.end() }
        let test = bench.worker.test
        var dice = Dice()
        var workers = try (0..<3).map { try bench.start("\($0)") }
        var held = Int64(0)
        for (round, change) in Self.rounds.enumerated() {
            try await test.database.execute(
                "SELECT count(\(raw: change)) FROM generate_series(1, \(Int32(Self.devices))) n")
            for part in 0...1 {
                let ended = Int64(round * Self.devices + part * Self.devices / 2 + 1 + dice.roll(Self.devices / 3))
                try await bench.worker.until("SELECT count(*) FROM push.installation_result WHERE status <> 'retrying'")
                { $0 >= ended }
                let victim = dice.roll(workers.count)
                let number = try await bench.number(of: workers[victim])
                workers[victim].signal(SIGKILL)
                #expect(await workers[victim].ended == -SIGKILL)
                held += try await test.number(
                    "SELECT count(*) FROM push.installation_claim WHERE worker = \(Int32(number))")
                #expect(try await test.number("SELECT count(*) FROM push.lost_changes") == 0)
                workers[victim] = try bench.start("\(victim)")
            }
        }
        try await bench.worker.until(
            "SELECT (SELECT count(*) FROM push.installation_due) + (SELECT count(*) FROM push.installation_claim)"
        ) { $0 == 0 }
        for worker in workers {
            worker.signal(SIGTERM)
            #expect(await worker.ended == 0)
        }

        #expect(held > 0, "no worker was killed in the middle")
        #expect(try await test.number("SELECT count(*) FROM push.lost_changes") == 0)
        let changes = Self.rounds.count * Self.devices
        #expect(
            try await test.texts(
                """
                SELECT count(*) || ' ' || count(DISTINCT id) FROM push.installation_result
                 WHERE status IN ('applied', 'superseded')
                """) == ["\(changes) \(changes)"])
        let hub = bench.worker.hub.hub
        #expect(try bench.worker.emulator.devices(at: hub).count == Self.devices * 4 / 5)
        let wrong = try (1...Self.devices).filter { number in
            let found = try bench.worker.emulator.installation("phone-\(number)", at: hub)
            if number % 5 == 0 { return found != nil }
            let hex = String(number, radix: 16)
            let handle = String(repeating: "0", count: 8 - hex.count) + hex
            return found?.pushChannel != .handle(handle) || Set(found?.tags ?? []) != ["fourth", "fifth"]
        }
        #expect(wrong == [], "devices that are not what their changes say")
    }
}
