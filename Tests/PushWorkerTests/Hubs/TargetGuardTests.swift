import HTTPTransport
import HubEmulator
import Providers
import PushModel
import Signing
import TestSupport
import Testing

@testable import PushWorker

/// A service that refuses one target after another: when that is about the sender.
@Suite(.timeLimit(.minutes(10))) struct TargetGuardTests {
    private func steps(_ verdicts: [Verdict], after: inout TargetGuard) -> [TargetGuard.Step] {
        verdicts.compactMap { after.answered($0, suspicion: "tokens of another project?") }
    }

    private func steps(_ verdicts: [Verdict]) -> [TargetGuard.Step] {
        var targets = TargetGuard()
        return steps(verdicts, after: &targets)
    }

    private let invalid = Verdict.targetInvalid(because: "SENDER_ID_MISMATCH")

    @Test func nineteenAnswersSayNothing() {
        #expect(steps(Array(repeating: invalid, count: 19)) == [])
    }

    @Test func theTwentiethInvalidTargetHoldsTheHub() {
        #expect(
            steps(Array(repeating: invalid, count: 20)) == [
                .hold(
                    because: "20 of the last 20 targets are invalid: tokens of another project? Last: "
                        + "SENDER_ID_MISMATCH. Then resume the hub with push.resume_hub.")
            ])
    }

    @Test func aFifthIsBearableAndOneMoreIsNot() {
        var targets = TargetGuard()
        #expect(steps((0..<200).map { $0 % 5 == 4 ? invalid : .accepted }, after: &targets) == [])
        #expect(steps([.accepted, invalid], after: &targets).count == 1, "41 of 200: the first one is forgotten")
    }

    @Test func onlyTheLastTwoHundredCount() {
        var targets = TargetGuard()
        #expect(steps(Array(repeating: .accepted, count: 10_000), after: &targets) == [])
        #expect(steps(Array(repeating: invalid, count: 40), after: &targets) == [])
        #expect(steps([invalid], after: &targets).count == 1)
    }

    @Test func aHundredThousandTargetsThatAreGoneHoldNothing() {
        #expect(steps(Array(repeating: .targetGone(because: "UNREGISTERED"), count: 100_000)) == [])
    }

    @Test func whatSaysNothingOfATargetIsNotCounted() {
        var targets = TargetGuard()
        let others: [Verdict] = [
            .unavailable(after: nil, because: ""), .notSent(because: ""), .unknown(because: ""),
            .authExpired(because: ""), .throttled(after: 1, because: ""),
        ]
        #expect(steps((0..<1000).map { others[$0 % others.count] }, after: &targets) == [])
        #expect(steps(Array(repeating: invalid, count: 20), after: &targets).count == 1)
    }

    @Test func afterAHoldItBeginsAnew() {
        var targets = TargetGuard()
        #expect(steps(Array(repeating: invalid, count: 39), after: &targets).count == 1)
        #expect(steps([invalid], after: &targets).count == 1)
    }

    @Test func fiveThrottledTargetsInTwentyCloseTheGateForTheLongest() {
        func throttled(_ wait: Double) -> Verdict { .throttled(after: wait, scope: .target, because: "too many") }
        let waits = [10.0, 90, 20, 30]
        let few = waits.map(throttled) + Array(repeating: Verdict.accepted, count: 15)
        #expect(steps(few) == [])
        #expect(
            steps(few + [throttled(5)]) == [
                .close(seconds: 90, because: "5 targets in 20 are throttled; last: too many")
            ])
        #expect(steps(few + [.accepted, throttled(5)]) == [], "the first of them is too long ago")
        #expect(steps(waits.map(throttled) + [throttled(1)]).count == 1, "also when there are no twenty yet")
    }

    // MARK: A worker, with a service that judges single targets

    private struct SingleTargets: Provider {
        let hub: any Provider
        var host: String { hub.host }
        var scheme: String { hub.scheme }
        var suspicion: String { "tokens of another project?" }
        func request(for post: Post, id: Int64, with pass: Pass) throws(InvalidPost) -> Request {
            try hub.request(for: post, id: id, with: pass)
        }
        func testRequest(
            for post: Post, id: Int64, with pass: Pass, tracking: String?
        ) throws(InvalidPost) -> Request {
            try hub.testRequest(for: post, id: id, with: pass, tracking: tracking)
        }
        func answer(to reply: Reply) -> Answer {
            var answer = hub.answer(to: reply)
            if answer.status == 410 { answer.verdict = .targetInvalid(because: "SENDER_ID_MISMATCH") }
            return answer
        }
    }

    private static func worker() async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.settings.probeSeconds = 0.25
        worker.settings.leaseSeconds = 3
        worker.provider = { SingleTargets(hub: $0) }
        return worker
    }

    @Test func tokensOfAnotherProjectHoldTheHubUntilAPersonResumesIt() async throws {
        let worker = try await Self.worker()
        try worker.emulator.add(Fault(.every(1), status: 410))
        try await worker.enqueue(2000)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT count(*) FROM push.hub_health WHERE state = 'held'")
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
            let sent = worker.emulator.journal().count
            #expect(sent < 1000, "20, and what was on its way")
            worker.emulator.clearFaults()
            // Two heartbeats, and time for several probes.
            let beats = try await worker.test.number("SELECT max(beats) FROM push.worker")
            try await worker.until("SELECT max(beats) FROM push.worker") { $0 >= beats + 3 }
            #expect(worker.emulator.journal().count == sent, "no probe leaves")
            let health = try await worker.test.texts(
                "SELECT state || ' ' || (next_probe IS NULL) || ' ' || why FROM push.hub_health")
            #expect(health.first?.contains("held true") == true)
            #expect(health.first?.contains("tokens of another project? Last: SENDER_ID_MISMATCH") == true)
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.until("SELECT count(*) FROM push.due") { $0 == 0 }
            try await worker.until("SELECT count(*) FROM push.claim") { $0 == 0 }
        }
        #expect(try await worker.lost() == [])
        #expect(
            try await worker.test.number(
                "SELECT count(*) FROM push.message_status WHERE status = 'rejected' AND reason <> 'target_invalid'")
                == 0)
        #expect(try await worker.test.texts("SELECT state FROM push.hub_health") == ["open"])
    }

    /// A worker that comes later, or beside, knows from the table that no probe may leave.
    @Test func anotherWorkerTriesNothingEither() async throws {
        let worker = try await Self.worker()
        let hub = try await worker.test.number("SELECT id FROM push.hub")
        try await worker.test.database.execute(
            "SELECT push_worker.hold_hub_v1(\(Int32(hub)), 'x', NULL::double precision, 0)")
        try await worker.enqueue(5)
        try await worker.whileWorking { _ in
            try await worker.until("SELECT max(beats) FROM push.worker") { $0 >= 3 }
            #expect(worker.emulator.journal().isEmpty)
            try await worker.test.database.execute("SELECT push.resume_hub('news')")
            try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == 5 }
        }
    }
}
