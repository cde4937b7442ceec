import Foundation
import HubEmulator
import TestSupport
import Testing

/// A worker of an FCM sender that is killed before, while and after it gets its access token.
@Suite(.serialized) struct KilledSenderTests {
    private static let messages = 60

    private static func enqueue(in bench: CrashBench) async throws {
        try await bench.worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY['token-' || n], 'fcmv1', json_build_object('message',
                       json_build_object('data', json_build_object('n', n::text)))
              FROM generate_series(1, \(Int32(messages))) n
            """)
    }

    /// Kills one worker at the moment, and lets another one finish.
    ///
    /// - Returns: how many messages are in doubt.
    private static func doubts(killed moment: (CrashBench) async throws -> Void) async throws -> Int64 {
        let bench = try await CrashBench(TestWorker.shop)
        defer { bench.proxy.end() }
        try await enqueue(in: bench)
        let victim = try bench.start("victim")
        try await moment(bench)
        victim.signal(SIGKILL)
        #expect(await victim.ended == -SIGKILL)
        bench.worker.emulator.clearFaults()
        let heir = try bench.start("heir")
        try await bench.untilNothingIsLeft()
        heir.signal(SIGTERM)
        #expect(await heir.ended == 0)
        return try await bench.balance(messages)
    }

    private static func delay(_ operation: Fault.Operation) -> Fault {
        var delay = Fault(.every(1))
        delay.operations = [operation]
        delay.delayMilliseconds = 600_000
        return delay
    }

    @Test func whoDiesWhileItsTokenIsFetchedLeavesNothingInDoubt() async throws {
        let doubts = try await Self.doubts { bench in
            try bench.worker.emulator.add(Self.delay(.fcmToken))
            try await bench.worker.untilStruck()
            #expect(try await bench.worker.test.number("SELECT count(*) FROM push.claim") == 0)
        }
        #expect(doubts == 0)
    }

    @Test func whoDiesBetweenTokenAndAnswerLeavesInDoubtAtMostWhatHadLeft() async throws {
        let doubts = try await Self.doubts { bench in
            try bench.worker.emulator.add(Self.delay(.fcm))
            try await bench.worker.untilStruck()
        }
        #expect((1...16).contains(doubts), "\(doubts): its window is 16")
    }
}
