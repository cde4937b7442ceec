import PushModel
import Testing

@testable import PushWorker

/// What an answer means; without a hub, a table or a clock.
@Suite struct SettlementTests {
    private let settings = DispatchSettings()

    private func facts(
        attempt: Int16 = 0, expiresIn: Double = 86_400, onDoubt: OnDoubt = .hold, othersSucceed: Bool = false
    ) -> Settlement.Facts {
        Settlement.Facts(
            attempt: attempt, expiresAt: 1_000_000 + expiresIn, onDoubt: onDoubt, othersSucceed: othersSucceed,
            now: 1_000_000, random: 0.5)
    }

    @Test(arguments: [
        (Verdict.accepted, Status.accepted, Reason.takenByHub),
        (.targetGone(because: "gone"), .rejected, .targetGone),
        (.targetInvalid(because: "bad"), .rejected, .targetInvalid),
        (.tooLarge(because: "413"), .rejected, .tooLarge),
        (.rejected(because: "400"), .rejected, .badRequest),
    ])
    func anAnswerAboutTheMessageIsFinalAndTheHubWorks(verdict: Verdict, status: Status, reason: Reason) {
        let settlement = Settlement(verdict, facts(), settings)
        #expect(settlement.outcome.status == status)
        #expect(settlement.outcome.reason == reason)
        #expect(settlement.effect == .works)
    }

    @Test func throttlingWaitsAsAskedAndCostsNoAttempt() {
        let settlement = Settlement(.throttled(after: 30, because: "429"), facts(attempt: 9), settings)
        #expect(settlement.outcome.status == .retrying)
        #expect(settlement.outcome.cost == 0)
        #expect((30...90).contains(settlement.outcome.delay ?? 0))
        #expect(settlement.effect == .closeGate(seconds: 30, because: "429"))
    }

    @Test func throttlingWithoutATimeWaitsTenSeconds() {
        #expect(
            Settlement(.throttled(after: nil, because: "429"), facts(), settings).effect
                == .closeGate(seconds: 10, because: "429"))
    }

    @Test(arguments: [Verdict.unavailable(after: nil, because: "no"), .notSent(because: "no")])
    func aFailureWhileNothingWorksCostsNoAttempt(verdict: Verdict) {
        let settlement = Settlement(verdict, facts(attempt: 9), settings)
        #expect(settlement.outcome.status == .retrying)
        #expect(settlement.outcome.cost == 0)
        #expect(settlement.effect == .failed(because: "no"))
    }

    @Test(arguments: [Verdict.unavailable(after: nil, because: "503"), .notSent(because: "refused")])
    func aFailureWhileOthersSucceedCountsAndTheTenthIsFinal(verdict: Verdict) {
        #expect(Settlement(verdict, facts(attempt: 8, othersSucceed: true), settings).outcome.cost == 1)
        let last = Settlement(verdict, facts(attempt: 9, othersSucceed: true), settings).outcome
        #expect(last.status == .rejected)
        #expect(last.reason == .attemptsExhausted)
    }

    @Test func noRetryGoesBeyondTheExpiry() {
        let settlement = Settlement(.throttled(after: 60, because: "429"), facts(expiresIn: 30), settings)
        #expect(settlement.outcome.status == .expired)
        #expect(settlement.effect == .closeGate(seconds: 60, because: "429"))
    }

    @Test func aLostAnswerIsHeldForAPerson() {
        let settlement = Settlement(.unknown(because: "reset"), facts(), settings)
        #expect(settlement.outcome.status == .inDoubt)
        #expect(settlement.outcome.reason == .answerLost)
        #expect(settlement.outcome.note?.contains("fanfare doubt resolve") == true)
    }

    @Test func onlyTheMessageItselfMayAskToBeResent() {
        let outcome = Settlement(.unknown(because: "reset"), facts(onDoubt: .resend), settings).outcome
        #expect(outcome.status == .retrying)
        #expect(outcome.reason == .resent)
        #expect(outcome.cost == 1)
    }

    @Test func aRefusedTokenIsSignedAgainAndARefusedHubIsHeld() {
        #expect(Settlement(.authExpired(because: "401"), facts(), settings).effect == .signAgain)
        let held = Settlement(.authFailed(because: "no such hub"), facts(attempt: 9, othersSucceed: true), settings)
        #expect(held.effect == .hold(because: "no such hub"))
        #expect(held.outcome.status == .retrying)
        #expect(held.outcome.cost == 0)
    }
}
