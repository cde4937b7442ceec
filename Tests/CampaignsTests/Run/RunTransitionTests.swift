import Campaigns
import PushModel
import Testing

/// The table of what each event does to a run in each state.
@Suite struct RunTransitionTests {
    /// The states that events of this kind lead to.
    private static func next(_ state: RunState, by events: [RunEvent]) -> Set<RunState> {
        Set(
            events.compactMap { event in
                if case .moves(let next, _) = state.on(event) { next } else { nil }
            })
    }

    private static func reachable(from state: RunState, by events: [RunEvent]) -> Set<RunState> {
        var (found, open): (Set<RunState>, [RunState]) = ([state], [state])
        while let each = open.popLast() {
            for next in next(each, by: events) where found.insert(next).inserted { open.append(next) }
        }
        return found
    }

    @Test(arguments: RunState.allCases) func eachCellHasAReasonAndMovesOnlyToAnotherState(_ state: RunState) {
        for event in RunEvent.allCases {
            #expect(!state.on(event).because.isEmpty, "\(state) \(event)")
            if case .moves(let next, _) = state.on(event) { #expect(next != state, "\(state) \(event)") }
        }
    }

    @Test(arguments: RunState.allCases.filter { !$0.isOver })
    func whatIsNotOverCanBeCancelledByOneCall(_ state: RunState) {
        #expect(Self.reachable(from: state, by: [.cancel]).contains(.cancelling), "\(state)")
        #expect(Self.reachable(from: state, by: [.cancel, .isStopped]).contains(.cancelled), "\(state)")
    }

    @Test func whatIsPausedCanRunAgain() {
        #expect(Self.next(.paused, by: [.resume]) == [.running])
        #expect(Self.reachable(from: .paused, by: [.resumeInTurn, .turnComes]).contains(.running))
    }

    @Test(arguments: RunState.allCases.filter { !$0.isOver && $0 != .paused })
    func whatIsNotPausedEndsByItself(_ state: RunState) {
        let found = RunEvent.allCases.filter { !$0.isAsked && $0 != .sendAgain }
        #expect(!Self.reachable(from: state, by: found).filter(\.isOver).isEmpty, "\(state)")
    }

    @Test(arguments: RunState.allCases.filter(\.isOver)) func whatIsOverMakesNothingMore(_ state: RunState) {
        for event in RunEvent.allCases {
            guard case .moves(let next, _) = state.on(event) else { continue }
            #expect(event == .sendAgain && next == .running, "\(state) \(event)")
        }
    }

    @Test func refusalsSayWhatToDoInsteadWhereThereIsSomething() {
        #expect(RunState.done.on(.resume).because.contains("retry"))
        #expect(RunState.cancelled.on(.retry).because.contains("another key"))
        #expect(RunState.expired.on(.pause).because.contains("cancel"))
    }
}
