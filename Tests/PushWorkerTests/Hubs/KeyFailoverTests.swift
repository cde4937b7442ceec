import HubEmulator
import Postgres
import PushModel
import Signing
import Store
import TestSupport
import Testing

@testable import PushWorker

/// Two keys, shared by all workers: all give up a key that the hub refuses, and a person can switch.
@Suite(.timeLimit(.minutes(10))) struct KeyFailoverTests {
    // MARK: Deciding

    private func pass(_ number: Int64) -> Pass { Pass(header: Secret("x"), number: number, expiry: 0) }

    @Test func refusalsLeadToANewPassThenTheOtherKeyThenAHold() {
        let failover = KeyFailover()
        #expect(failover.refused(pass(1)) { true } == .renew)
        #expect(failover.refused(pass(2)) { true } == .switchKey)
        #expect(failover.refused(pass(3)) { true } == .hold)
    }

    @Test func withoutASecondKeyTheSecondRefusalHolds() {
        let failover = KeyFailover()
        #expect(failover.refused(pass(1)) { false } == .renew)
        #expect(failover.refused(pass(2)) { false } == .hold)
    }

    @Test func manyRefusalsOfOnePassCountOnce() {
        let failover = KeyFailover()
        #expect(failover.refused(pass(1)) { true } == .renew)
        for _ in 1...100 { #expect(failover.refused(pass(1)) { true } == .ignore) }
    }

    @Test func ourOwnChangeLastsUntilTheOthersKnowIt() {
        let failover = KeyFailover()
        failover.changed(to: .secondary, because: "refused", now: 10)
        #expect(!failover.follow(.primary, askedAt: 11) { _ in true })
        failover.shared(KeyFailover.Change(key: .secondary, reason: "refused"))
        #expect(failover.unsharedChange == nil)
        #expect(!failover.follow(.primary, askedAt: 9) { _ in true }, "asked before our change")
        #expect(failover.follow(.primary, askedAt: 11) { _ in true })
    }

    @Test func aKeyThatOthersUseStartsTheCountAnew() {
        let failover = KeyFailover()
        _ = failover.refused(pass(1)) { true }
        #expect(failover.follow(.secondary, askedAt: 0) { $0 == .secondary })
        #expect(failover.refused(pass(2)) { true } == .renew)
        #expect(!failover.follow(.secondary, askedAt: 1) { _ in false }, "in use already")
        #expect(failover.refused(pass(3)) { true } == .switchKey)
    }

    @Test func anAcceptedPassResetsTheCount() {
        let failover = KeyFailover()
        _ = failover.refused(pass(1)) { true }
        failover.accepted(pass(9), leftAt: 1)
        #expect(failover.refused(pass(2)) { true } == .renew)
    }

    @Test func aPassThatWasTakenSinceIsNotWhatTheHubRefused() {
        let failover = KeyFailover()
        #expect(!failover.isTaken(pass(1), since: 5))
        failover.accepted(pass(1), leftAt: 5)
        failover.accepted(pass(1), leftAt: 4)
        #expect(failover.isTaken(pass(1), since: 5), "they left together")
        #expect(!failover.isTaken(pass(1), since: 5.1), "it may have ended since")
        #expect(!failover.isTaken(pass(2), since: 5))
    }

    @Test func itSaysWhetherTheNextRefusalHoldsTheHub() {
        let failover = KeyFailover()
        #expect(!failover.isLast(pass(1), hasOther: false))
        _ = failover.refused(pass(1)) { true }
        #expect(failover.isLast(pass(2), hasOther: false))
        #expect(!failover.isLast(pass(2), hasOther: true))
        _ = failover.refused(pass(2)) { true }
        #expect(failover.isLast(pass(3), hasOther: true))
    }

    /// Posts that left with the key that was given up come back after the change: they do not wait for the next probe.
    @Test func aLateRefusalOfAnOldPassIsNotThatOfTheLastKey() {
        let failover = KeyFailover()
        _ = failover.refused(pass(1)) { true }
        #expect(failover.refused(pass(2)) { true } == .switchKey)
        #expect(!failover.isLast(pass(1), hasOther: true) && !failover.isLast(pass(2), hasOther: true))
    }

    // MARK: Workers with two keys

    @Test func aRefusedKeyIsGivenUpByAllWorkers() async throws {
        let worker = try await Self.worker(primary: Self.wrong)
        try await worker.enqueue(10)

        try await worker.drain()

        #expect(try await worker.statuses() == "accepted 10")
        #expect(
            try await worker.test.texts(
                "SELECT key || ': ' || key_reason || ' ' || (key_since > now() - interval '1 hour') FROM push.hub_state"
            )
                == ["secondary: the hub refused the primary key true"])
        let refusals = worker.emulator.count().statuses[401, default: 0]
        #expect(refusals > 0)

        // Another worker with the same keys does not try the refused one again.
        try await worker.enqueue(10)
        try await worker.drain()
        #expect(worker.emulator.count().statuses[401, default: 0] == refusals)
        #expect(try await worker.statuses() == "accepted 20")
    }

    @Test func aPersonMakesAllWorkersSignWithTheOtherKey() async throws {
        let worker = try await Self.worker(primary: nil)
        let other = worker

        try await worker.whileWorking { _ in
            try await other.whileWorking { _ in
                try await worker.until("SELECT count(*) FROM push.serving WHERE has_secondary") { $0 == 2 }
                #expect(try await Hubs(database: worker.test.database).rotate("news") == .secondary)
                try await worker.until("SELECT count(*) FROM push.serving WHERE key = 'secondary'") { $0 == 2 }
                try await worker.enqueue(20)
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
                #expect(try await Hubs(database: worker.test.database).rotate("news") == .primary)
                try await worker.until("SELECT count(*) FROM push.serving WHERE key = 'primary'") { $0 == 2 }
            }
        }

        #expect(worker.emulator.count().statuses == [201: 20])
        #expect(
            try await worker.test.texts(
                "SELECT detail ->> 'key' FROM push.audit WHERE action = 'rotate_hub' ORDER BY id")
                == ["secondary", "primary"])
        #expect(
            try await worker.test.number(
                "SELECT count(*) FROM push.hub_state WHERE key_reason = 'rotated by ' || session_user") == 1)
    }

    @Test func aRotationToARefusedKeyIsUndone() async throws {
        var worker = try await Self.worker(primary: nil)
        worker.secondary = Self.string(worker, key: Self.wrong)
        let working = worker

        try await worker.whileWorking { _ in
            try await working.until("SELECT count(*) FROM push.serving WHERE has_secondary")
            _ = try await Hubs(database: working.test.database).rotate("news")
            try await working.until("SELECT count(*) FROM push.serving WHERE key = 'secondary'")
            try await working.enqueue(3)
            try await working.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 3 }
        }

        #expect(
            try await worker.test.texts("SELECT key || ': ' || key_reason FROM push.hub_state")
                == ["primary: the hub refused the secondary key"])
        #expect(try await worker.lost() == [])
    }

    @Test func withoutASecondKeyARotationIsRefusedWithAHint() async throws {
        let worker = try await TestWorker.make()
        let hubs = Hubs(database: worker.test.database)

        let withoutWorkers = await Self.refusal { _ = try await hubs.rotate("news") }
        #expect(withoutWorkers?.sqlState == "55000")
        #expect(withoutWorkers?.hint?.contains("fanfare run") == true)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.serving")
            let withOneKey = await Self.refusal { _ = try await hubs.rotate("news") }
            #expect(withOneKey?.hint?.contains("hubs.news.secondaryConnectionString") == true)
        }
        #expect(await Self.refusal { _ = try await hubs.rotate("nws") }?.sqlState == "P0002")
        #expect(try await worker.test.number("SELECT count(*) FROM push.audit") == 0)
    }

    private static let wrong = "d3Jvbmc="

    /// - Parameter primary: a key; nil: the right one. The secondary is right.
    private static func worker(primary: String?) async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 3
        worker.secondary = worker.emulator.connectionString(for: "breaking-news")
        if let primary { worker.connectionString = string(worker, key: primary) }
        return worker
    }

    private static func string(_ worker: TestWorker, key: String) -> Secret {
        Secret(
            "Endpoint=http://127.0.0.1:\(worker.emulator.port ?? 0)/;SharedAccessKeyName=emulator;SharedAccessKey=\(key)"
        )
    }

    private static func refusal(_ body: () async throws -> Void) async -> DatabaseError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }
}
