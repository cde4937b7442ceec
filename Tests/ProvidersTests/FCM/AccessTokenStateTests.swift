import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

@Suite struct AccessTokenStateTests {
    private typealias State = AccessTokenState

    private static let start = TestFCM.now

    private static func token(_ life: Int64 = 3_599) -> AccessTokenAnswer {
        .token(header: Secret("Bearer t"), life: life)
    }

    /// Asks and answers at the same time.
    private func exchange(_ state: inout State, _ answer: AccessTokenAnswer, at now: Double) throws {
        guard case .ask = state.next(at: now) else { return #expect(Bool(false), "nothing to ask for") }
        state.answered(answer, askedAt: now, at: now, random: 0.5)
    }

    private func ready(hasSecondary: Bool = false) throws -> State {
        var state = State(hasSecondary: hasSecondary)
        try exchange(&state, Self.token(), at: Self.start)
        return state
    }

    private func pass(_ state: State, at now: Double = start) throws -> Pass { try #require(state.pass(at: now)) }

    @Test func theFirstTokenIsAskedForAtOnce() throws {
        var state = State(hasSecondary: false)
        #expect(state.pass(at: Self.start) == nil && state.trouble(at: Self.start) == nil)
        #expect(state.next(at: Self.start) == .ask(.primary))
        state.answered(Self.token(), askedAt: Self.start, at: Self.start + 1, random: 0)
        let pass = try pass(state)
        #expect(pass.header == Secret("Bearer t") && pass.expiry == 1_700_003_599 && pass.number == 2)
        #expect(state.issued == 1)
    }

    @Test func everyRefreshDecisionOfTheVectorsHolds() throws {
        let decision = try #require(Vectors.object("fcm-apns/fcm-oauth")["refresh_decision"] as? [String: Any])
        #expect(decision["proposed_margin_s"] as? Double == State.margin)
        let cases = try #require(decision["cases"] as? [[String: Any]])
        #expect(cases.count == 6)
        for vector in cases {
            var state = try ready()
            let now = Self.start + 3_599 - (try #require(vector["seconds_to_expiry"] as? Double))
            let expected = try #require(vector["expect"] as? String)
            #expect((state.pass(at: now) != nil) == expected.hasPrefix("use"), "\(expected)")
            #expect((state.next(at: now) == .ask(.primary)) == expected.contains("refresh"), "\(expected)")
        }
    }

    @Test func oneRequestIsOnTheWayAtATime() throws {
        var state = State(hasSecondary: true)
        #expect(state.next(at: Self.start) == .ask(.primary))
        for _ in 0..<100 { #expect(state.next(at: Self.start) == .rest(State.longestRest)) }
        let isChanged = state.use(.secondary)
        #expect(isChanged)
        #expect(state.next(at: Self.start) == .rest(State.longestRest))
    }

    @Test func aRequestThatWasGivenUpIsMadeAgainAtOnce() throws {
        var state = State(hasSecondary: false)
        #expect(state.next(at: Self.start) == .ask(.primary))
        state.abandoned()
        #expect(state.trouble(at: Self.start) == nil)
        #expect(state.next(at: Self.start) == .ask(.primary))
    }

    @Test func theOldTokenServesWhileTheNextIsOnTheWay() throws {
        var state = try ready()
        let old = try pass(state)
        let now = Self.start + 3_400
        #expect(state.next(at: now) == .ask(.primary))
        #expect(try pass(state, at: now) == old)
        state.answered(Self.token(), askedAt: now, at: now + 2, random: 0)
        let new = try pass(state, at: now + 2)
        #expect(new != old && new.number == 4 && new.expiry == 1_700_006_999)
        #expect(state.next(at: now + 2) == .rest(60))
    }

    @Test func aDayNeedsOneTokenAnHourAndNoRequestHasAnEndedOne() throws {
        var random = SeededRandom(seed: 1)
        var state = State(hasSecondary: false)
        var issuedLives: [Int64: Double] = [:]
        var now = Self.start
        let end = Self.start + 86_400
        while now < end {
            switch state.next(at: now) {
            case .ask:
                let askedAt = now
                let arrives = now + Double.random(in: 0.02...2, using: &random)
                if issuedLives.isEmpty { now = arrives } else { check(&now, until: arrives) }
                state.answered(Self.token(), askedAt: askedAt, at: now, random: 0)
                issuedLives[try pass(state, at: now).number] = askedAt + 3_599
            case .rest(let seconds):
                #expect(seconds > 0)
                check(&now, until: now + seconds)
            }
        }
        #expect(state.issued == issuedLives.count && (26...27).contains(state.issued))

        /// Posts leave ten times a second.
        func check(_ now: inout Double, until later: Double) {
            while now < later {
                let pass = state.pass(at: now)
                #expect(pass.flatMap { issuedLives[$0.number] }.map { now < $0 } ?? false)
                now = min(now + 0.1, later)
            }
        }
    }

    /// Nothing fails: the hub has no pass for that time, and gets one after it.
    @Test func anEndpointThatIsDownForTenMinutesIsWaitedFor() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<50 {
            var state = State(hasSecondary: false)
            var now = Self.start
            var pauses: [Double] = []
            while now < Self.start + 600 {
                switch state.next(at: now) {
                case .ask:
                    state.answered(
                        .later(after: nil, because: "down"), askedAt: now, at: now,
                        random: Double.random(in: 0...1, using: &random))
                    #expect(state.trouble(at: now) == .waiting(because: "down"))
                case .rest(let seconds):
                    pauses.append(seconds)
                    now += seconds
                }
            }
            #expect(pauses.allSatisfy { (1...60).contains($0) } && (10...60).contains(pauses.count))
            while case .rest(let seconds) = state.next(at: now) { now += seconds }
            #expect(now < Self.start + 660)
            state.answered(Self.token(), askedAt: now, at: now, random: 0)
            #expect(state.pass(at: now) != nil && state.trouble(at: now) == nil)
        }
    }

    @Test func aPauseHasJitterAndBounds() {
        #expect(State.retryPause(1, after: nil, random: 0) == 1 && State.retryPause(1, after: nil, random: 1) == 2)
        #expect(State.retryPause(100, after: nil, random: 1) == 60 && State.retryPause(100, after: nil, random: 0) == 1)
        #expect(State.retryPause(1, after: 30, random: 0) == 30 && State.retryPause(1, after: 3_600, random: 0) == 60)
        #expect(State.refusalPause(1, random: 0) == 30 && State.refusalPause(1, random: 1) == 60)
        #expect(State.refusalPause(100, random: 1) == 600)
    }

    @Test func aRefusalIsWordsForThePersonWhoHasToAct() throws {
        var state = State(hasSecondary: false)
        try exchange(&state, .refused(because: "no"), at: Self.start)
        #expect(state.trouble(at: Self.start) == .refused(because: "no"))
        // Nobody tells us when it is put right.
        guard case .rest(let seconds) = state.next(at: Self.start) else { return #expect(Bool(false)) }
        try exchange(&state, Self.token(), at: Self.start + seconds)
        #expect(state.trouble(at: Self.start + seconds) == nil)
    }

    @Test func whatWasRefusedIsAskedForAtOnceWhenAHoldIsOver() throws {
        var (state, now) = (State(hasSecondary: false), Self.start)
        for _ in 0..<5 {
            try exchange(&state, .refused(because: "no"), at: now)
            while case .rest(let seconds) = state.next(at: now) { now += seconds }
            state.abandoned()
        }
        try exchange(&state, .refused(because: "no"), at: now)
        #expect(state.next(at: now) == .rest(State.longestRest), "and then again: five minutes or more")
        state.tryAgain(at: now)
        try exchange(&state, .refused(because: "no"), at: now)
        state.tryAgain(at: now + 1)
        #expect(state.next(at: now + 1) != .ask(.primary), "not without end")
        state.tryAgain(at: now + 60)
        try exchange(&state, Self.token(), at: now + 60)
        #expect(state.trouble(at: now + 60) == nil)
    }

    @Test func aHoldThatIsOverChangesNothingForAnEndpointThatIsDown() throws {
        var state = State(hasSecondary: false)
        try exchange(&state, .later(after: 30, because: "down"), at: Self.start)
        state.tryAgain(at: Self.start + 1)
        #expect(state.next(at: Self.start + 1) == .rest(29))
    }

    @Test func aFailedRenewalIsNoTroubleWhileTheOldTokenServes() throws {
        for failure in [AccessTokenAnswer.later(after: nil, because: "down"), .refused(because: "no")] {
            var state = try ready()
            try exchange(&state, failure, at: Self.start + 3_300)
            #expect(state.pass(at: Self.start + 3_598) != nil && state.trouble(at: Self.start + 3_598) == nil)
            #expect(state.pass(at: Self.start + 3_599) == nil && state.trouble(at: Self.start + 3_599) != nil)
        }
    }

    @Test func aForgottenTokenIsReplacedAtOnce() throws {
        var state = try ready()
        let refused = try pass(state)
        state.forget(refused)
        #expect(state.pass(at: Self.start) == nil)
        try exchange(&state, Self.token(), at: Self.start)
        let fresh = try pass(state)
        #expect(fresh.number != refused.number)
        state.forget(refused)
        #expect(try pass(state) == fresh, "a late refusal does not undo a fresh token")
    }

    @Test func aRefusedAccountGivesWayToTheOther() throws {
        var state = try ready(hasSecondary: true)
        let first = try pass(state)
        state.forget(first)
        try exchange(&state, Self.token(), at: Self.start)
        let second = try pass(state)
        #expect(state.useOther(than: second) && state.account == .secondary)
        #expect(state.pass(at: Self.start) == nil)
        try exchange(&state, Self.token(), at: Self.start)
        let other = try pass(state)
        #expect(other.number & 1 == 1)
        #expect(
            state.useOther(than: second) && state.account == .secondary, "two lanes switch once, not there and back")
        #expect(try pass(state) == other)
        #expect(state.useOther(than: other) && state.account == .primary)
        #expect(state.pass(at: Self.start) == nil, "neither is used again")
    }

    @Test func oneAccountHasNoOther() throws {
        var state = try ready()
        #expect(try !state.useOther(than: pass(state)))
        #expect(!state.use(.secondary) && !state.use(.primary))
    }

    @Test func rotationUsesTheWantedAccount() throws {
        var state = try ready(hasSecondary: true)
        let primary = try pass(state)
        #expect(!state.use(.primary) && state.use(.secondary) && !state.use(.secondary))
        try exchange(&state, Self.token(), at: Self.start)
        #expect(try pass(state).number & 1 == 1)
        let isBack = state.use(.primary)
        #expect(isBack)
        #expect(try pass(state) == primary, "its token still holds")
    }

    /// The key of the account in use was revoked, and nobody has rotated yet.
    @Test func theOtherAccountServesWhileTheFirstIsRefused() throws {
        var state = State(hasSecondary: true)
        try exchange(&state, .refused(because: "revoked"), at: Self.start)
        #expect(state.trouble(at: Self.start) == nil, "the other one is not asked yet")
        #expect(state.next(at: Self.start) == .ask(.secondary))
        var both = state
        state.answered(Self.token(), askedAt: Self.start, at: Self.start, random: 0)
        #expect(try pass(state).number & 1 == 1 && state.account == .primary)
        #expect(state.refusal(at: Self.start) == "revoked")
        both.answered(.refused(because: "too"), askedAt: Self.start, at: Self.start, random: 0)
        #expect(both.trouble(at: Self.start) == .refused(because: "revoked; the other account: too"))
        #expect(both.refusal(at: Self.start) == nil, "none serves")
        let later = Self.start + 60
        try exchange(&state, Self.token(), at: later)
        #expect(try pass(state, at: later).number & 1 == 0, "the account in use again")
        #expect(state.refusal(at: later) == nil)
    }

    @Test func aTokenOfShortLifeServesForHalfOfIt() throws {
        var state = State(hasSecondary: false)
        try exchange(&state, Self.token(60), at: Self.start)
        #expect(state.next(at: Self.start) == .rest(30))
        #expect(state.next(at: Self.start + 30) == .ask(.primary))
        state = State(hasSecondary: false)
        try exchange(&state, Self.token(1), at: Self.start)
        #expect(state.next(at: Self.start + 2) == .rest(8), "an endpoint without sense is not asked without end")
    }

    @Test func aClockThatIsSetBackBringsANewToken() throws {
        var state = try ready()
        #expect(state.pass(at: Self.start - 299) != nil)
        #expect(state.pass(at: Self.start - 3_600) == nil)
        #expect(state.next(at: Self.start - 3_600) == .ask(.primary))
        state.answered(.refused(because: "iat"), askedAt: Self.start - 3_600, at: Self.start - 3_600, random: 1)
        // Back again: the pause does not last an hour.
        #expect(state.next(at: Self.start - 90_000) == .ask(.primary))
    }

    /// Whatever happens in whatever order.
    @Test func everyOrderOfEventsKeepsThePromises() throws {
        for seed in 0..<300 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var state = State(hasSecondary: seed.isMultiple(of: 2))
            var now = Self.start
            var asked: (account: State.Account, at: Double)?
            var ends: [Int64: Double] = [:]
            var passes: [Pass] = []
            for _ in 0..<400 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0...3:
                    switch state.next(at: now) {
                    case .ask(let account):
                        #expect(asked == nil, "one at a time")
                        asked = (account, now)
                    case .rest(let seconds):
                        #expect((0...State.longestRest).contains(seconds) && seconds > 0)
                        now += seconds
                    }
                case 4...6:
                    guard let (_, at) = asked else { continue }
                    asked = nil
                    let life = Int64.random(in: 1...4_000, using: &random)
                    let answers = [
                        Self.token(life), .later(after: 5, because: "down"), .refused(because: "no"),
                    ]
                    let answer = answers[Int.random(in: 0..<3, using: &random)]
                    let count = state.issued
                    state.answered(answer, askedAt: at, at: now, random: Double.random(in: 0...1, using: &random))
                    if state.issued > count { ends[Int64(state.issued)] = at.rounded(.down) + Double(life) }
                case 7 where asked != nil:
                    asked = nil
                    state.abandoned()
                case 8: if let pass = passes.randomElement(using: &random) { state.forget(pass) }
                case 9: if let pass = passes.randomElement(using: &random) { _ = state.useOther(than: pass) }
                case 10: _ = state.use(Bool.random(using: &random) ? .primary : .secondary)
                default: now += Double.random(in: 0...1_000, using: &random)
                }
                guard let pass = state.pass(at: now) else { continue }
                passes.append(pass)
                #expect(state.trouble(at: now) == nil)
                #expect(try now < #require(ends[pass.number / 2]), "no request has an ended token")
                #expect(state.hasSecondary || pass.number & 1 == 0)
            }
            // Once the endpoint works again, the account in use has a token within ten minutes.
            if asked != nil { state.abandoned() }
            let recovered = now
            while state.pass(at: now).map({ ($0.number & 1 == 1) != (state.account == .secondary) }) ?? true {
                switch state.next(at: now) {
                case .ask: state.answered(Self.token(), askedAt: now, at: now, random: 0)
                case .rest(let seconds): now += seconds
                }
                try #require(now <= recovered + 600)
            }
        }
    }
}
