import Foundation
import HubEmulator
import PushModel
import TestSupport
import Testing

/// Rows for a sender of FCM, from INSERT to the phones, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct FCMJourneyTests {
    private static let strings = """
        {"en": {"welcome_title": "Welcome, %1$s!"}, "fr": {"welcome_title": "Bienvenue, %1$s !"}}
        """

    private static func worker(_ change: (inout HubSettings) -> Void = { _ in }) async throws -> TestWorker {
        var shop = TestWorker.shop
        change(&shop)
        let strings = try StringsFile(json: Array(Self.strings.utf8), file: "strings.json")
        var worker = try await TestWorker.make(shop) { $0.strings = strings }
        worker.settings.leaseSeconds = 3
        worker.settings.probeSeconds = 0.25
        return worker
    }

    /// One row a token, in the order of the tokens.
    private static func enqueue(_ tokens: [String], in worker: TestWorker) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, handles, format, content)
            SELECT 'shop', ARRAY[t], 'fcmv1', '{"message": {"notification": {"title": "Hello"}}}'
              FROM unnest(\(tokens)) t
            """)
    }

    @Test func aRowToATopicIsShownInTheLanguageOfEachPhone() async throws {
        let worker = try await Self.worker()
        for (id, language) in [("alice", "en"), ("ines", "fr")] {
            try worker.emulator.register(
                Installation(
                    id, platform: .fcmV1, pushChannel: .handle("\(id)-token"), tags: ["lang:\(language)"],
                    topics: ["Tech"]), at: "shop")
        }
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, format, content) VALUES ('shop', 'Tech', 'fcmv1',
                '{"message": {"android": {"notification": {"title_loc_key": "welcome_title",
                  "title_loc_args": ["Alice"]}}}}')
            """)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 1")
        #expect(try worker.emulator.inbox(of: "alice", at: "shop").map(\.alert?.title) == ["Welcome, Alice!"])
        #expect(try worker.emulator.inbox(of: "ines", at: "shop").map(\.alert?.title) == ["Bienvenue, Alice !"])
        #expect(
            try await worker.test.number(
                "SELECT count(*) FROM push.answers WHERE notification_id IS NOT NULL AND http = 200") == 1)
    }

    /// As Google is reached: TLS, HTTP/2, few connections. The token comes over HTTP/1.1.
    @Test func overTLSAllMessagesShareAFewConnections() async throws {
        var first = try await TestWorker.make(TestWorker.shop, isSecure: true)
        let authority = FileManager.default.temporaryDirectory.appending(path: "ca-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: authority) }
        try #require(first.emulator.certificateAuthority).write(to: authority, atomically: true, encoding: .utf8)
        first.transport.caBundle = authority.path(percentEncoded: false)
        let worker = first
        try await Self.enqueue((1...1_000).map { "token-\($0)" } + ["gone-1"], in: worker)
        let log = LogRecorder()
        try await worker.whileWorking { progress in
            try await worker.until("SELECT count(*) FROM push.result WHERE status <> 'retrying'") { $0 == 1_001 }
            await progress.dump(to: log.logger)
        }
        #expect(try await worker.statuses() == "accepted 1000, rejected 1")
        #expect(try await worker.lost() == [])
        let connections = log.fields(of: "state: connection")
        #expect((1...6).contains(connections.count), "\(connections)")
        #expect(connections.allSatisfy { $0["origin"] == worker.emulator.secureEndpoint && $0["allowed"] == "100" })
        #expect(connections.compactMap { $0["carried"].flatMap(Int.init) }.reduce(0, +) == 1_001)
        #expect(worker.emulator.journal().count == 1_001)
    }

    @Test func oneExchangeServesAllMessages() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue((1...2_000).map { "token-\($0)" }, in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 2000")
        #expect(worker.emulator.accessTokens(of: "shop") == 1)
        #expect(try await worker.lost() == [])
    }

    @Test func everyAnswerForATokenHasItsResult() async throws {
        let worker = try await Self.worker()
        let others = (1...40).map { "token-\($0)" }
        try await Self.enqueue(["gone-1", "invalid-1", "mismatch-1"] + others, in: worker)
        try await worker.drain()
        #expect(
            try await worker.test.texts(
                """
                SELECT m.handles[1] || ' ' || s.status || ' ' || s.reason
                  FROM push.message_status s JOIN push.message m USING (id)
                 WHERE s.status <> 'accepted' ORDER BY 1
                """)
                == [
                    "gone-1 rejected target_gone", "invalid-1 rejected target_invalid",
                    "mismatch-1 rejected target_invalid",
                ])
        #expect(try await worker.test.texts("SELECT handle FROM push.gone_targets") == ["gone-1"])
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func aThrottledPhoneWaitsAloneAndTheOthersDoNot() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue(["throttle-1"] + (1...200).map { "token-\($0)" }, in: worker)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 200 }
            try await worker.until("SELECT count(*) FROM push.result WHERE reason = 'target_throttled'")
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 1") == 1)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    @Test func tokensOfAnotherProjectHoldTheHub() async throws {
        let worker = try await Self.worker { $0.window = 8 }
        try await Self.enqueue((1...500).map { "mismatch-\($0)" }, in: worker)
        try await worker.whileWorking { _ in
            try await worker.until(
                "SELECT count(*) FROM push.hub_health WHERE state = 'held' AND why LIKE '%tokens of another project?%'")
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
        }
        let rejected = try await worker.test.number("SELECT count(*) FROM push.result WHERE status = 'rejected'")
        #expect(rejected >= 20 && rejected <= 20 + 16, "\(rejected): 20, and what was on its way or written ahead")
        #expect(try await worker.test.number("SELECT count(*) FROM push.due") == 500 - rejected)
    }

    @Test func aThousandGoneTokensHoldNothing() async throws {
        let worker = try await Self.worker()
        try await Self.enqueue((1...1_000).map { "gone-\($0)" }, in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "rejected 1000")
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await worker.test.number("SELECT count(*) FROM push.gone_targets") == 1_000)
    }

    @Test func whileTheTokenEndpointIsDownNothingFails() async throws {
        let worker = try await Self.worker()
        var down = Fault(.every(1), status: 503)
        down.operations = [.fcmToken]
        try worker.emulator.add(down)
        try await Self.enqueue((1...20).map { "token-\($0)" }, in: worker)
        try await worker.whileWorking { _ in
            try await worker.until(
                "SELECT count(*) FROM push.hub_health WHERE state = 'no pass' AND why LIKE 'the token endpoint replied 503%'"
            )
            #expect(try await worker.test.number("SELECT count(*) FROM push.result") == 0)
            worker.emulator.clearFaults()
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
        }
        #expect(try await worker.statuses() == "accepted 20")
    }

    @Test(arguments: [3_600.0, -3_600]) func aClockThatIsAnHourOffHoldsTheHubAndIsNamed(seconds: Double) async throws {
        let worker = try await Self.worker()
        var skewed = Fault(.every(1))
        skewed.operations = [.fcmToken]
        skewed.skewSeconds = seconds
        try worker.emulator.add(skewed)
        try await Self.enqueue(["a"], in: worker)
        try await worker.whileWorking { _ in
            try await worker.until(
                "SELECT count(*) FROM push.hub_health WHERE state = 'held' AND why LIKE '%the clock of this machine is %'"
            )
        }
        #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt = 0") == 1)
        #expect(worker.emulator.journal().isEmpty)
    }

    @Test func aRefusedAccountGivesWayToTheOther() async throws {
        var first = try await Self.worker()
        first.secondary = first.emulator.serviceAccount(of: "shop", account: 1)
        let worker = first
        var refused = Fault(.next(2), status: 401)
        refused.operations = [.fcm]
        try worker.emulator.add(refused)
        try await Self.enqueue(["a"], in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "accepted 1")
        #expect(try await worker.test.texts("SELECT key FROM push.hub_state") == ["secondary"])
    }

    @Test func whatAGatewayDidNotAnswerIsInDoubt() async throws {
        let worker = try await Self.worker()
        var lost = Fault(.next(1), status: 504)
        lost.operations = [.fcm]
        lost.taken = true
        try worker.emulator.add(lost)
        try await Self.enqueue(["a"], in: worker)
        try await worker.drain()
        #expect(try await worker.statuses() == "in_doubt 1")
    }
}
