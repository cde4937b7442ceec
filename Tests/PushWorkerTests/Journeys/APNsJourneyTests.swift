import Foundation
import HubEmulator
import PushModel
import Signing
import TestSupport
import Testing

/// Rows for a sender of APNs, from INSERT to the phones, over real sockets, TLS and HTTP/2.
@Suite(.timeLimit(.minutes(10))) struct APNsJourneyTests {
    private static let categories = """
        {"INVITE_CATEGORY": [{"id": "accept", "title": "Accept", "options": ["foreground"]},
                             {"id": "decline", "title": "Decline", "options": ["destructive"]}]}
        """

    private static func worker(
        _ configure: (inout EmulatorSettings) -> Void = { _ in }
    ) async throws -> TestWorker {
        let categories = try CategoriesFile(json: Array(Self.categories.utf8), file: "categories.json")
        var worker = try await TestWorker.make(TestWorker.ios) {
            $0.categories = categories
            configure(&$0)
        }
        worker.settings.leaseSeconds = 3
        worker.settings.probeSeconds = 0.25
        return worker
    }

    /// One row a handle, in the order of the handles.
    private static func enqueue(_ handles: [String], in worker: TestWorker) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'ios', ARRAY[h], 'apple', '{"aps": {"alert": "Hello"}}' FROM unnest(\(handles)) h
            """)
    }

    private static func handles(_ count: Int) -> [String] { (1...count).map { String(format: "aa%06x", $0) } }

    @Test func anInvitationIsAcceptedAndThePhoneShowsItsButtons() async throws {
        let worker = try await Self.worker()
        let handle = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
        try worker.emulator.register(Installation("alice", pushChannel: .handle(handle)), at: "ios")
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content) VALUES ('ios', ARRAY[\(handle)], 'apple',
                '{"aps": {"alert": "You’re invited!", "category": "INVITE_CATEGORY"}}')
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 1")
        let shown = try worker.emulator.inbox(of: "alice", at: "ios")
        #expect(shown.map(\.alert?.body) == ["You’re invited!"])
        #expect(shown.first?.buttons?.map(\.title) == ["Accept", "Decline"])
        #expect(
            try await worker.test.number(
                """
                SELECT count(*) FROM push.answers
                 WHERE http = 200 AND notification_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
                """) == 1)
    }

    @Test func allMessagesShareAFewConnectionsAndOneToken() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue(Self.handles(2_000), in: worker)
        let log = LogRecorder()
        try await worker.whileWorking { progress in
            try await worker.until("SELECT count(*) FROM push.result WHERE status <> 'retrying'") { $0 == 2_000 }
            await progress.dump(to: log.logger)
        }
        #expect(try await worker.statuses() == "accepted 2000")
        #expect(try await worker.lost() == [])
        let connections = log.fields(of: "state: connection")
        #expect((1...8).contains(connections.count), "\(connections)")
        #expect(worker.emulator.journal().count == 2_000)
    }

    @Test func everyAnswerForADeviceTokenHasItsResult() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue(["dead0410aa", "dead1410aa", "dead0400aa", "dead1400aa"] + Self.handles(60), in: worker)
        try await worker.drain()
        #expect(
            try await worker.test.texts(
                """
                SELECT m.handles[1] || ' ' || s.status || ' ' || s.reason
                  FROM push.message_status s JOIN push.message m USING (id)
                 WHERE s.status <> 'accepted' ORDER BY 1
                """)
                == [
                    "dead0400aa rejected target_invalid", "dead0410aa rejected target_gone",
                    "dead1400aa rejected target_invalid", "dead1410aa rejected target_gone",
                ])
        #expect(
            try await worker.test.texts("SELECT handle FROM push.gone_targets ORDER BY 1") == [
                "dead0410aa", "dead1410aa",
            ])
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func aThrottledPhoneWaitsAloneAndTheOthersDoNot() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue(["dead0429aa"] + Self.handles(200), in: worker)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 200 }
            try await worker.until("SELECT count(*) FROM push.result WHERE reason = 'target_throttled'")
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 1") == 1)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    /// More than a fifth: somebody took the tokens of the other environment.
    @Test func tokensOfTheSandboxHoldTheHub() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue((1...60).map { String(format: "5a4db0c5%04x", $0) }, in: worker)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'") { $0 == 1 }
        }
        let why = try await worker.test.texts("SELECT why FROM push.hub_health").first ?? ""
        #expect(why.contains("sandbox tokens at production?"), "\(why)")
        #expect(try await worker.lost() == [])
    }

    @Test func theSecondKeyTakesOverFromARevokedOne() async throws {
        var worker = try await Self.worker()
        worker.secondary = worker.emulator.apnsKey(of: "ios", key: 1)
        #expect(worker.secondary != nil)
        var revoked = Fault(.next(1_000_000))
        revoked.operations = [.apns]
        revoked.rotated = .primary
        _ = try worker.emulator.add(revoked)
        try await Self.enqueue(Self.handles(50), in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 50")
        #expect(try await worker.test.texts("SELECT key FROM push.hub_health") == ["secondary"])
    }

    /// What a GOAWAY names was not processed, and nothing is in doubt.
    @Test func nothingIsLostOrRepeatedWhenTheServerGoesAway() async throws {
        let worker = try await Self.worker()
        var away = Fault(.every(50))
        away.operations = [.apns]
        away.goAway = "Shutdown"
        _ = try worker.emulator.add(away)
        try await Self.enqueue(Self.handles(1_000), in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 1000")
        #expect(try await worker.lost() == [])
        let sent = worker.emulator.journal().filter { $0.status == 200 }.count
        #expect(sent == 1_000)
    }

    /// Each is noted; they hold nothing and close no gate.
    @Test func tenThousandPhonesThatAreGoneAreNotedOneAfterTheOther() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue((1...10_000).map { String(format: "dead0410%06x", $0) }, in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "rejected 10000")
        #expect(try await worker.test.number("SELECT count(*) FROM push.gone_targets") == 10_000)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.lost() == [])
        #expect(worker.emulator.journal().count == 10_000)
    }

    /// Apple counts a token's age by its own clock. No new one helps, and APNs would refuse many: the hub waits and says where to look.
    @Test(arguments: [7_200.0, -7_200]) func aWrongClockLosesNothingAndIsNamed(seconds: Double) async throws {
        let worker = try await Self.worker { $0.now = { Date().timeIntervalSince1970 + seconds } }
        try await Self.enqueue(Self.handles(20), in: worker)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE why LIKE '%clock%'") { $0 == 1 }
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.result WHERE status <> 'retrying'") == 0)
        #expect(try await worker.lost() == [])
        let answers = worker.emulator.journal()
        #expect(answers.allSatisfy { $0.status == 403 } && answers.count < 100, "\(answers.count)")
    }
}
