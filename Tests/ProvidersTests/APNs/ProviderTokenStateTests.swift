import PushModel
import Signing
import Testing
import VectorSupport

@testable import Providers

@Suite struct ProviderTokenStateTests {
    private typealias State = ProviderTokenState

    /// A clock that stands still until it is moved.
    private struct Clock {
        var wall = TestAPNs.now
        var monotonic = 5_000.0
        var now: State.Moment { State.Moment(wall: wall, monotonic: monotonic) }

        mutating func pass(_ seconds: Double) {
            wall += seconds
            monotonic += seconds
        }
    }

    /// What a caller gets: makes a token when the state says so.
    private func ask(_ state: inout State, _ clock: Clock) -> State.Token? {
        if state.step(at: clock.now) == .make { state.made(Secret("bearer \(state.issued)"), at: clock.now) }
        if case .use(let token) = state.step(at: clock.now) { return token }
        return nil
    }

    private func waits(_ state: State, _ clock: Clock) -> (seconds: Double, because: String)? {
        if case .wait(let seconds, let because) = state.step(at: clock.now) { (seconds, because) } else { nil }
    }

    private func refuse(_ state: inout State, _ clock: Clock) {
        state.forget(serial: state.serial, generation: state.generation, at: clock.now)
    }

    @Test func theTimesAreThoseOfTheVectors() throws {
        let rotation = try #require(Vectors.object("fcm-apns/apns-jwt")["rotation"] as? [String: Any])
        #expect(rotation["min_age_s"] as? Double == State.leastAge)
        #expect(rotation["max_age_s"] as? Double == State.endAge)
        #expect(rotation["chosen_refresh_at_s"] as? Double == State.renewAge)
        let cases = try #require(rotation["cases"] as? [[String: Any]])
        #expect(cases.count == 10)
        var seen = 0
        for vector in cases {
            let expected = try #require(vector["expect"] as? String)
            var clock = Clock()
            var state = State()
            let first = try #require(ask(&state, clock))
            let generation = state.generation
            clock.pass(try #require(vector["age_s"] as? Double))
            seen += 1
            switch vector["event"] as? String {
            case "send":
                let token = try #require(ask(&state, clock))
                #expect((token == first) == (expected == "use"), "\(expected)")
                #expect(state.generation == generation)
            case "403 ExpiredProviderToken":
                refuse(&state, clock)
                #expect(state.generation == generation + 1, "the connections are closed")
                if expected.contains("wait") {
                    // Those may have been spoilt by the token before it.
                    #expect(ask(&state, clock) == first)
                    refuse(&state, clock)
                    #expect(ask(&state, clock) == nil && state.issued == 1)
                    #expect(try #require(waits(state, clock)).because.contains("clock"))
                } else {
                    #expect(try #require(ask(&state, clock)) != first)
                }
            case "429 TooManyProviderTokenUpdates":
                state.throttled(generation: state.generation, for: 1_200, at: clock.now)
                #expect(ask(&state, clock) == first && state.issued == 1, "the token is kept")
                #expect(state.generation == generation + 1)
            // The hub is held (`APNsAnswerTests`), and another key is another credential (`ProviderTokensTests`).
            default: seen -= 1
            }
        }
        #expect(seen == 8)
    }

    @Test func aTokenIsUsedForFiftyMinutes() throws {
        var clock = Clock()
        clock.wall += 0.9
        var state = State()
        let first = try #require(ask(&state, clock))
        #expect(first.issuedAt == 1_700_000_000, "whole seconds, rounded down")
        clock.pass(2_999)
        #expect(ask(&state, clock) == first)
        clock.pass(0.1)
        #expect(ask(&state, clock) != first, "counted from iat")
        #expect(state.issued == 2 && state.generation == 0, "the connections go on")
    }

    @Test func aDayHasOneTokenInFiftyMinutes() throws {
        var clock = Clock()
        var state = State()
        for _ in 0..<86_400 {
            let token = try #require(ask(&state, clock))
            #expect(token.age(at: clock.now) < State.renewAge)
            clock.pass(1)
        }
        #expect(state.issued == 29)
    }

    @Test func lateNewsOfOldConnectionsChangeNothing() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        let (serial, generation) = (state.serial, state.generation)
        clock.pass(60)
        // What was in flight on them is refused, one after the other.
        for _ in 0..<50 { state.forget(serial: serial, generation: generation, at: clock.now) }
        #expect(state.generation == generation + 1 && ask(&state, clock) == first)
        clock.pass(3_000)
        let second = try #require(ask(&state, clock))
        state.forget(serial: serial, generation: generation, at: clock.now)
        #expect(ask(&state, clock) == second && state.generation == generation + 1)
    }

    /// A machine that slept: the connection has refused the old token, and refuses the new one as well.
    @Test func aFreshTokenOnASpoiltConnectionIsTriedOnANewOne() throws {
        var clock = Clock()
        var state = State()
        _ = ask(&state, clock)
        let old = (serial: state.serial, generation: state.generation)
        clock.wall += 30_000  // the monotonic clock does not count it
        let fresh = try #require(ask(&state, clock))
        #expect(fresh.issuedAt == Int64(clock.wall))
        state.forget(serial: old.serial, generation: old.generation, at: clock.now)
        #expect(ask(&state, clock) == fresh && state.issued == 2)
        // The same where only time has passed: the connections were kept.
        state = State()
        _ = ask(&state, clock)
        let kept = (serial: state.serial, generation: state.generation)
        clock.pass(3_000)
        let next = try #require(ask(&state, clock))
        #expect(state.generation == kept.generation)
        state.forget(serial: kept.serial, generation: kept.generation, at: clock.now)
        #expect(state.generation == kept.generation + 1, "an old token spoils them for the new one")
        #expect(ask(&state, clock) == next && state.issued == 2)
        refuse(&state, clock)
        #expect(ask(&state, clock) == next, "this was its first refusal")
    }

    @Test func aTokenThatIsRefusedTwiceWhileYoungIsWaitedFor() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.pass(300)
        refuse(&state, clock)
        #expect(ask(&state, clock) == first)
        refuse(&state, clock)
        #expect(try #require(waits(state, clock)).seconds == 900)
        refuse(&state, clock)
        clock.pass(899)
        #expect(ask(&state, clock) == nil)
        #expect(waits(state, clock)?.because == State.refusedYoung)
        clock.pass(1)
        #expect(try #require(ask(&state, clock)) != first)
        #expect(state.issued == 2 && state.generation == 3)
    }

    @Test func aTokenOfTwentyMinutesIsReplacedAtOnce() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.pass(1_200)
        refuse(&state, clock)
        let second = try #require(ask(&state, clock))
        #expect(second != first && state.generation == 1)
        // That one is young again.
        refuse(&state, clock)
        #expect(ask(&state, clock) == second)
        refuse(&state, clock)
        #expect(ask(&state, clock) == nil)
    }

    @Test func nothingIsMadeWhileTheServiceHasTooMany() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.pass(2_900)
        state.throttled(generation: state.generation, for: 1_200, at: clock.now)
        clock.pass(600)
        #expect(ask(&state, clock) == first, "past its renewal it goes on")
        clock.pass(100)
        #expect(ask(&state, clock) == nil, "until APNs would refuse it")
        #expect(waits(state, clock)?.seconds == 500 && waits(state, clock)?.because == State.paused)
        clock.pass(500)
        #expect(ask(&state, clock) != nil && state.issued == 2)
        // A refusal meanwhile makes none either.
        clock.pass(1_500)
        state.throttled(generation: state.generation, for: 1_200, at: clock.now)
        refuse(&state, clock)
        #expect(ask(&state, clock) == nil && waits(state, clock)?.seconds == 1_200)
        state.throttled(generation: 0, for: 60, at: clock.now)
        #expect(waits(state, clock)?.seconds == 1_200, "a shorter one does not end it")
    }

    @Test func aThrottledKeyWithoutATokenWaits() {
        var clock = Clock()
        var state = State()
        state.throttled(generation: 0, for: 1_200, at: clock.now)
        #expect(ask(&state, clock) == nil && waits(state, clock)?.seconds == 1_200)
        clock.pass(1_200)
        #expect(ask(&state, clock) != nil)
    }

    @Test func aClockThatIsSetBackALittleKeepsATokenForFiftyMinutes() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.wall -= 300
        clock.pass(2_999)
        #expect(ask(&state, clock) == first)
        clock.pass(1)
        let second = try #require(ask(&state, clock))
        #expect(second.issuedAt == first.issuedAt + 2_700 && state.generation == 0)
    }

    /// It was ahead when the token was made, and is right now: APNs may not take the token.
    @Test func aTokenFromTheFutureIsReplacedAtTwentyMinutes() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.wall -= 7_200
        clock.pass(1_199)
        #expect(ask(&state, clock) == first && state.rest(at: clock.now) == 1)
        clock.pass(1)
        let second = try #require(ask(&state, clock))
        #expect(second.issuedAt == first.issuedAt - 6_000 && state.generation == 0)
        // Twenty minutes are twenty minutes, whatever the wall clock says.
        clock.wall -= 7_200
        clock.pass(1_199)
        refuse(&state, clock)
        refuse(&state, clock)
        #expect(ask(&state, clock) == nil)
        clock.pass(1)
        #expect(ask(&state, clock) != nil)
    }

    @Test func aClockThatIsSetForwardBringsANewTokenOnNewConnections() throws {
        var clock = Clock()
        var state = State()
        let first = try #require(ask(&state, clock))
        clock.wall += 1_199
        #expect(ask(&state, clock) == first)
        clock.wall += 7_200
        let second = try #require(ask(&state, clock))
        #expect(second.issuedAt == first.issuedAt + 8_399 && state.generation == 1)
        // And back: the new one goes on, so a clock that swings between two times makes two tokens.
        for _ in 0..<20 {
            clock.wall -= 7_200
            #expect(ask(&state, clock) == second)
            clock.wall += 7_200
            #expect(ask(&state, clock) == second)
        }
        #expect(state.issued == 2)
    }

    /// Whatever happens in whatever order, with clocks that jump and without.
    @Test(arguments: [false, true]) func everyOrderOfEventsKeepsThePromises(jumps: Bool) throws {
        for seed in 0..<400 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var clock = Clock()
            var state = State()
            var passes: [(serial: Int64, generation: Int64)] = []
            var made: [(token: State.Token, at: Clock, generation: Int64)] = []
            var pausedUntil = -Double.infinity
            for _ in 0..<300 {
                let before = (state.serial, state.generation, state.issued)
                switch Int.random(in: 0..<10, using: &random) {
                case 0...3:
                    if let token = ask(&state, clock) {
                        passes.append((state.serial, state.generation))
                        #expect(token.age(at: clock.now) < State.endAge, "no request has an ended token")
                        #expect(token.age(at: clock.now) < State.renewAge || clock.monotonic < pausedUntil)
                        if state.issued > made.count { made.append((token, clock, state.generation)) }
                    } else {
                        let wait = try #require(waits(state, clock))
                        #expect(wait.seconds > 0 && wait.seconds < 1_200.001, "there is an end to it")
                    }
                case 4: refuse(&state, clock)
                case 5:
                    if let pass = passes.randomElement(using: &random) {
                        state.forget(serial: pass.serial, generation: pass.generation, at: clock.now)
                    }
                case 6 where Int.random(in: 0..<8, using: &random) == 0:
                    let generation = passes.randomElement(using: &random)?.generation ?? 0
                    state.throttled(generation: generation, for: 1_200, at: clock.now)
                    pausedUntil = clock.monotonic + 1_200
                case 7 where jumps: clock.wall += Double.random(in: -9_000...9_000, using: &random)
                default: clock.pass(Double.random(in: 0...700, using: &random))
                }
                #expect(state.generation >= before.1 && state.serial >= before.0)
                if state.issued > before.2 || state.generation > before.1 { #expect(state.serial > before.0) }
                #expect(state.issued == before.2 || clock.monotonic >= pausedUntil, "nothing is made in a pause")
                if let rest = state.rest(at: clock.now) { #expect(rest > 0) }
            }
            for (one, next) in zip(made, made.dropFirst()) {
                let isOld = next.at.monotonic - one.at.monotonic >= State.leastAge
                #expect(
                    isOld || jumps && one.token.age(at: next.at.now) >= State.leastAge, "never before 20 minutes of age"
                )
                #expect(isOld || next.generation > one.generation, "two tokens in 20 minutes share no connection")
            }
            // Once APNs is content, there is a token within 20 minutes.
            clock.pass(1_200.001)
            #expect(ask(&state, clock) != nil)
        }
    }

    @Test func aStepHoldsUntilItsRestIsOver() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var clock = Clock()
            var state = State()
            for _ in 0..<50 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: refuse(&state, clock)
                case 1: state.throttled(generation: state.generation, for: 1_200, at: clock.now)
                default: _ = ask(&state, clock)
                }
                guard let rest = state.rest(at: clock.now) else {
                    #expect(state.step(at: clock.now) == .make)
                    continue
                }
                let isUsed = waits(state, clock) == nil
                clock.pass(max(0, rest - 0.01))
                #expect((waits(state, clock) == nil) == isUsed && state.step(at: clock.now) != .make)
                clock.pass(0.02)
            }
        }
    }
}
