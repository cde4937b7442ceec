import PushModel
import Store
import Testing

@testable import PushWorker

/// What an answer means; without a hub, a table or a clock.
@Suite struct SettlementTests {
    private let settings = DispatchSettings()

    private func facts(
        attempt: Int16 = 0, expiresIn: Double = 86_400, onDoubt: OnDoubt = .hold, othersSucceed: Bool = false,
        isOwnRefusal: Bool = false, isLastKey: Bool = false
    ) -> Settlement.Facts {
        Settlement.Facts(
            attempt: attempt, expiresAt: 1_000_000 + expiresIn, onDoubt: onDoubt, othersSucceed: othersSucceed,
            isOwnRefusal: isOwnRefusal, isLastKey: isLastKey, now: 1_000_000, random: 0.5)
    }

    @Test func anAcceptedPostSpeaksForItsHub() {
        let settlement = Settlement(.accepted, facts(), settings)
        #expect(settlement.outcome == MessageOutcome(.accepted, .takenByHub))
        #expect(settlement.effect == .takes)
    }

    @Test(arguments: [
        (Verdict.targetGone(because: "gone"), Status.rejected, Reason.targetGone),
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

    @Test func aThrottledTargetWaitsAloneAndCostsAnAttempt() {
        let verdict = Verdict.throttled(after: 30, scope: .target, because: "429")
        let settlement = Settlement(verdict, facts(), settings)
        #expect(settlement.outcome.status == .retrying && settlement.outcome.reason == .targetThrottled)
        #expect(settlement.outcome.cost == 1)
        #expect((30...90).contains(settlement.outcome.delay ?? 0))
        #expect(settlement.effect == .works, "the hub takes others")
        #expect(Settlement(verdict, facts(attempt: 9), settings).outcome.reason == .attemptsExhausted)
        let late = Settlement(verdict, facts(expiresIn: 20), settings).outcome
        #expect(late.status == .expired, "no gate is closed that a person could open")
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
        let settlement = Settlement(.unavailable(after: 60, because: "503"), facts(expiresIn: 30), settings)
        #expect(settlement.outcome.status == .expired)
    }

    /// A person may open the gate before the hub's time is over: `push.open_gate` makes it due at once.
    @Test func aThrottledMessageKeepsItsTimeToTheEnd() {
        let settlement = Settlement(.throttled(after: 60, because: "429"), facts(expiresIn: 30), settings)
        #expect(settlement.outcome.status == .retrying)
        #expect(settlement.outcome.delay == 30)
        #expect(settlement.effect == .closeGate(seconds: 60, because: "429"))
        let late = Settlement(.throttled(after: 60, because: "429"), facts(expiresIn: 0), settings)
        #expect(late.outcome.status == .expired)
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

    @Test func aRefusedTokenIsSignedAgain() {
        let settlement = Settlement(.authExpired(because: "401"), facts(), settings)
        #expect(settlement.effect == .signAgain)
        #expect(settlement.outcome.cost == 0)
        #expect((1...2).contains(settlement.outcome.delay ?? 0))
        #expect(!settlement.mayBeSplit)
    }

    /// Others are tried before it.
    @Test func aMessageWhoseLastKeyWasRefusedWaitsForTheProbe() {
        let settlement = Settlement(.authExpired(because: "401"), facts(isLastKey: true), settings)
        #expect(settlement.effect == .signAgain)
        #expect((60...61).contains(settlement.outcome.delay ?? 0))
    }

    // MARK: Refusals that may be about the hub or about one message

    private static let refusals: [(Verdict, Reason)] = [
        (.authFailed(because: "403"), .authRefused), (.hubNotFound(because: "404"), .hubNotFound),
        (.quotaExceeded(because: "quota"), .quotaExceeded),
    ]

    @Test(arguments: refusals)
    func whileNothingGetsThroughTheHubIsHeldAndNothingIsCounted(verdict: Verdict, reason: Reason) {
        let settlement = Settlement(verdict, facts(attempt: 9), settings)
        #expect(settlement.outcome.status == .retrying)
        #expect(settlement.outcome.reason == reason)
        #expect(settlement.outcome.cost == 0)
        #expect((60...90).contains(settlement.outcome.delay ?? 0), "another message is tried first")
        guard case .refused = settlement.effect else {
            Issue.record("\(settlement.effect)")
            return
        }
    }

    @Test(arguments: refusals)
    func besideGoodTrafficTheTenthRefusalOfAMessageIsFinal(verdict: Verdict, reason: Reason) {
        let first = Settlement(verdict, facts(isOwnRefusal: true), settings)
        #expect(first.outcome.status == .retrying)
        #expect(first.outcome.reason == reason)
        #expect(first.outcome.cost == 1)
        #expect(first.effect == .refusedOne)

        let last = Settlement(verdict, facts(attempt: 9, isOwnRefusal: true), settings)
        #expect(last.outcome.status == .rejected)
        #expect(last.outcome.reason == .attemptsExhausted)
        #expect(last.effect == .refusedOne)
        let words = settings.attempts == 10 ? "10 attempts while others succeeded; last: " : ""
        #expect(last.outcome.note?.hasPrefix(words) == true)
    }

    @Test func theTenthRefusedTokenOfOneMessageIsFinalToo() {
        let settlement = Settlement(.authExpired(because: "401"), facts(attempt: 9, isOwnRefusal: true), settings)
        #expect(settlement.outcome.reason == .attemptsExhausted)
        #expect(settlement.outcome.note == "10 attempts while others succeeded; last: 401")
        #expect(settlement.effect == .refusedOne)
    }

    @Test(arguments: [true, false]) func aRefusedPostOfSeveralContentsIsSplitFirst(isOwn: Bool) {
        for (verdict, _) in Self.refusals {
            #expect(Settlement(verdict, facts(isOwnRefusal: isOwn), settings).mayBeSplit)
        }
        #expect(Settlement(.rejected(because: "400"), facts(), settings).mayBeSplit)
        #expect(Settlement(.tooLarge(because: "413"), facts(), settings).mayBeSplit)
        #expect(!Settlement(.throttled(after: 1, because: "429"), facts(), settings).mayBeSplit)
        #expect(!Settlement(.unavailable(after: 1, because: "500"), facts(), settings).mayBeSplit)
    }

    /// A hub that comes back within seconds still gets a message that lives for half a minute.
    @Test func aMessageThatExpiresBeforeTheProbeIsTriedEarlier() {
        let settlement = Settlement(.hubNotFound(because: "404"), facts(expiresIn: 20), settings)
        #expect(settlement.outcome.status == .retrying)
        #expect((10...11).contains(settlement.outcome.delay ?? 0))
    }
}
