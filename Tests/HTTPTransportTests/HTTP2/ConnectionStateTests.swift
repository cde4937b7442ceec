import Testing

@testable import HTTPTransport

@Suite struct ConnectionStateTests {
    private static let second: UInt64 = 1_000_000_000

    private static func state(_ change: (inout HTTP2Settings) -> Void = { _ in }) -> ConnectionState {
        var settings = HTTP2Settings()
        change(&settings)
        return ConnectionState(settings, greetedWithin: .seconds(5), now: 0)
    }

    private static func proven(_ change: (inout HTTP2Settings) -> Void = { _ in }) -> ConnectionState {
        var state = state(change)
        state.greeted(streams: 1_000, now: 0)
        state.began()
        state.answered()
        state.closed(now: 0)
        return state
    }

    @Test func itOpensWithOneRequestAndGrowsOnceThatIsAnswered() {
        var state = Self.state()
        #expect(state.next(now: 0) == .wait && state.isUnproven)
        state.greeted(streams: 100, now: 0)
        #expect(state.next(now: 0) == .take(1))
        #expect(state.isUnproven)
        state.began()
        #expect(state.next(now: 0) == .wait)
        state.answered()
        state.closed(now: 0)
        #expect(!state.isUnproven)
        #expect(state.next(now: 0) == .take(100))
    }

    @Test func theServerAllowsFewerThanTheSettingAndOneForEver() {
        var state = Self.proven { $0.streams = 50 }
        state.greeted(streams: 100, now: 0)
        #expect(state.next(now: 0) == .take(50))
        state.greeted(streams: 1, now: 0)
        #expect(state.next(now: 0) == .take(1))
        state.began()
        #expect(state.next(now: 0) == .wait)
        state.greeted(streams: 0, now: 0)
        state.closed(now: 0)
        #expect(state.next(now: 0) == .wait)
        state.greeted(streams: 3, now: 0)
        #expect(state.next(now: 0) == .take(3))
    }

    @Test func aLowerLimitThanWhatIsOpenTakesNothing() {
        var state = Self.proven()
        for _ in 0..<10 { state.began() }
        state.greeted(streams: 2, now: 0)
        #expect(state.next(now: 0) == .wait)
        for _ in 0..<9 { state.closed(now: 0) }
        #expect(state.next(now: 0) == .take(1))
    }

    @Test func aSilentConnectionProvesItselfBeforeItCarriesARequest() {
        var state = Self.proven()
        state.heard(now: 5 * Self.second)
        #expect(state.next(now: 35 * Self.second - 1) != .prove)
        #expect(state.next(now: 35 * Self.second) == .prove)
        state.pinged(now: 35 * Self.second)
        #expect(state.next(now: 35 * Self.second) == .wait && state.isUnproven)
        #expect(state.due(now: 36 * Self.second - 1) == .nothing)
        #expect(state.due(now: 36 * Self.second) == .isDead)
        state.heard(now: 36 * Self.second)
        state.pingAnswered()
        #expect(state.due(now: 36 * Self.second) == .nothing)
        #expect(state.next(now: 36 * Self.second) == .take(1_000))
    }

    @Test func aServerThatDoesNotGreetIsDead() {
        var state = Self.state { $0.idleLife = .seconds(1) }
        #expect(state.deadline == 5 * Self.second)
        #expect(state.due(now: 5 * Self.second - 1) == .nothing && state.due(now: 5 * Self.second) == .isDead)
        #expect(!state.isGreeted)
        state.greeted(streams: 1, now: 0)
        #expect(state.isGreeted && state.deadline == Self.second && state.due(now: Self.second) == .close)
    }

    @Test func aServerThatAllowsNothingForTooLongIsDeadOnceNothingIsOpen() {
        var state = Self.proven()
        state.began()
        state.greeted(streams: 0, now: 10 * Self.second)
        state.greeted(streams: 0, now: 12 * Self.second)
        #expect(state.isShut && state.due(now: 20 * Self.second) == .nothing)
        #expect(state.deadline == nil)
        state.closed(now: 13 * Self.second)
        #expect(state.deadline == 15 * Self.second)
        #expect(state.due(now: 15 * Self.second - 1) == .nothing && state.due(now: 15 * Self.second) == .isDead)
        state.greeted(streams: 1, now: 15 * Self.second)
        #expect(!state.isShut && state.due(now: 15 * Self.second) == .nothing)
    }

    @Test func anIdleConnectionIsClosedAndNotPinged() {
        let state = Self.proven { $0.idleLife = .seconds(230) }
        #expect(state.deadline == 230 * Self.second)
        #expect(state.due(now: 230 * Self.second - 1) == .nothing)
        #expect(state.due(now: 230 * Self.second) == .close)
    }

    @Test func pastItsWholeLifeItTakesNothingAndClosesWhenItIsEmpty() {
        var state = Self.proven { $0.wholeLife = .seconds(3_300) }
        state.heard(now: 3_299 * Self.second)
        state.began()
        #expect(state.next(now: 3_300 * Self.second) == .retired)
        #expect(state.due(now: 3_300 * Self.second) == .nothing)
        state.closed(now: 3_301 * Self.second)
        #expect(state.due(now: 3_301 * Self.second) == .close)
    }

    @Test func twoTimeoutsInARowRetireIt() {
        var state = Self.proven()
        state.timedOut()
        state.answered()
        state.timedOut()
        #expect(!state.isRetired)
        state.timedOut()
        #expect(state.isRetired && state.next(now: 0) == .retired)
    }

    @Test func aGoAwayRetiresIt() {
        var state = Self.proven()
        state.began()
        state.retire()
        #expect(state.next(now: 0) == .retired && state.due(now: 0) == .nothing)
        state.closed(now: 0)
        #expect(state.due(now: 0) == .close)
    }
}
