import Concurrency
import HubEmulator
import PushModel
import Signing
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A kind of hub whose passes have to be fetched: there may be none for a while.
@Suite(.timeLimit(.minutes(10))) struct PassTests {
    /// Has the passes that a test gives it.
    private final class Fetched: PassSource {
        private let source: any PassSource
        private struct State {
            var trouble: PassTrouble? = .waiting(because: "the token endpoint replied 503")
            var refusal: String?
            var throttled: [Double] = []
            var changed: (@Sendable (PassTrouble?) async -> Void)?
        }
        private let state = Mutex(State())
        let tries = Latch()

        init(_ source: any PassSource) { self.source = source }

        func become(_ trouble: PassTrouble?, refusal: String? = nil) async {
            let changed = state.withLock { state in
                state.trouble = trouble
                state.refusal = refusal
                return state.changed
            }
            await changed?(trouble)
        }

        func pass(for origin: String) -> Pass? { trouble == nil ? source.pass(for: origin) : nil }
        func forget(_ refused: Pass) { source.forget(refused) }
        func throttled(_ pass: Pass, for seconds: Double) { state.withLock { $0.throttled.append(seconds) } }
        var waits: [Double] { state.withLock { $0.throttled } }
        func useOther(than refused: Pass) -> Bool { source.useOther(than: refused) }
        func use(secondary wanted: Bool) -> Bool { source.use(secondary: wanted) }
        var hasSecondary: Bool { source.hasSecondary }
        var usesSecondary: Bool { source.usesSecondary }
        var expiry: Int64? { source.expiry }
        var issued: Int { source.issued }
        func tryAgain() { tries.happen() }
        var trouble: PassTrouble? { state.withLock { $0.trouble } }
        var refusal: String? { state.withLock { $0.refusal } }
        func keepReady(_ changed: @escaping @Sendable (PassTrouble?) async -> Void) async {
            state.withLock { $0.changed = changed }
            await changed(trouble)
            let end = Latch()
            await withTaskCancellationHandler {
                await end.wait()
            } onCancel: {
                end.happen()
            }
        }
    }

    private static func worker() async throws -> (TestWorker, Fetched) {
        var worker = try await TestWorker.make()
        worker.settings.leaseSeconds = 3
        worker.settings.probeSeconds = 0.25
        let text = try #require(worker.emulator.connectionString(for: worker.hub.hub))
        let connection = try ConnectionString(parsing: text.reveal())
        let passes = Fetched(
            HubTokens(
                base: connection.base, hub: worker.hub.hub, primary: connection.signingKey, now: Clock.system.wall))
        worker.passes = passes
        return (worker, passes)
    }

    @Test func withoutAPassNothingIsClaimedAndTheHubSaysWhy() async throws {
        let (worker, passes) = try await Self.worker()
        try await worker.enqueue(20)
        try await worker.whileWorking { _ in
            try await worker.until(
                """
                SELECT count(*) FROM push.hub_health
                 WHERE state = 'no pass' AND why = 'the token endpoint replied 503'
                """
            )
            #expect(try await worker.test.number("SELECT last_value FROM push.claim_id WHERE is_called") == 0)
            #expect(try await worker.test.number("SELECT count(*) FROM push.due WHERE attempt > 0") == 0)
            #expect(
                try await worker.test.number("SELECT count(*) FROM push.hub_state WHERE held_since IS NOT NULL") == 0)
            await passes.become(nil)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 20 }
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'open'")
        }
        #expect(try await worker.statuses() == "accepted 20")
        #expect(worker.emulator.journal().count == 20)
    }

    /// APNs refuses provider tokens that come too often: none may be made until it has had its time.
    @Test func aServiceThatThrottlesIsReportedToItsPasses() async throws {
        let (worker, passes) = try await Self.worker()
        await passes.become(nil)
        var fault = Fault(.next(1), status: 429)
        fault.retryAfter = .seconds(1)
        try worker.emulator.add(fault)
        try await worker.enqueue(1)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 1 }
        }
        #expect(passes.waits == [1])
    }

    /// It may end while a claim waits for its places: what has not left goes back, and costs nothing.
    @Test func aPassThatEndsUnderWayTakesBackWhatHasNotLeft() async throws {
        let (worker, passes) = try await Self.worker()
        await passes.become(nil)
        try await worker.enqueue(2000)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 > 50 }
            await passes.become(.waiting(because: "expired"))
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
            #expect(try await worker.test.number("SELECT count(*) FROM push.due") > 0)
            await passes.become(nil)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 2000 }
        }
        #expect(try await worker.lost() == [])
        #expect(worker.emulator.journal().count == 2000, "nothing was sent twice")
    }

    /// Without these lines nobody learns of it before the other one fails, too.
    @Test func aCredentialThatIsRefusedWhileTheOtherServesIsLoggedOnce() async throws {
        let (first, passes) = try await Self.worker()
        let log = LogRecorder()
        var logging = first
        logging.log = log.logger
        let worker = logging
        try await worker.enqueue(5)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.worker")
            for _ in 0..<3 { await passes.become(nil, refusal: "invalid_grant: the key was deleted") }
            try await worker.accepted(5)
            let begins = log.fields(of: "the credential in use is refused; the other one serves in its place")
            #expect(
                begins == [["hub": "news", "in_use": "primary", "why": "invalid_grant: the key was deleted"]],
                "\(begins)")
            await passes.become(nil)
            let ends = log.fields(of: "the credential in use is not refused any more")
            #expect(ends.count == 1 && ends[0]["hub"] == "news", "\(ends)")
        }
    }

    @Test func aRefusedSenderHoldsTheHubAndAPassLetsItBeTriedAgain() async throws {
        let (worker, passes) = try await Self.worker()
        try await worker.enqueue(5)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.worker")
            await passes.become(.refused(because: "invalid_grant: the account was deleted"))
            try await worker.until(
                "SELECT count(*) FROM push.hub_health WHERE state = 'held' AND why = 'invalid_grant: the account was deleted'"
            )
            #expect(worker.emulator.journal().isEmpty)
            await passes.become(nil)
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 5 }
        }
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    /// Else a person who has put the account right waits for up to ten minutes.
    @Test func aHubThatAPersonResumesAsksForItsPassAgain() async throws {
        let (worker, passes) = try await Self.worker()
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.worker")
            await passes.become(.refused(because: "invalid_grant: the account was deleted"))
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            #expect(!passes.tries.hasHappened)
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            await passes.tries.wait()
        }
    }
}
