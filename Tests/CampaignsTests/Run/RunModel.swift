import PushModel
import Store

@testable import Campaigns

/// A run with one recipient for each of its streams, as a value: streams, messages, workers, persons in the middle of
/// their calls, and one worker's look that may be old when it is acted upon. The states and steps are those of the
/// product; what its SQL functions do to messages is said here in short.
struct RunModel: Hashable {
    /// Where a recipient's message is. A value has one place, so nobody is lost or counted twice; what is checked is
    /// where it gets to.
    enum Place: Hashable {
        case unmade, due, parked, held(by: Int), wire(by: Int), accepted, rejected, doubt, cancelled, expired

        var isFinal: Bool {
            switch self {
            case .unmade, .due, .parked, .held, .wire: false
            case .accepted, .rejected, .doubt, .cancelled, .expired: true
            }
        }
    }

    /// What a person calls again until it is through.
    enum Call: Hashable { case pause, resume, cancel }

    /// A mistake that the model has on purpose, so that the check is known to find it.
    enum Flaw: CaseIterable, Hashable {
        /// A later call of a pause does not ask whether the run is still paused.
        case pauseForgetsTheState
        /// A worker acts upon what it saw, although somebody changed the run since.
        case lookIsNeverOld
        /// What a pause has parked is left out by a cancel.
        case cancelLeavesParked
        /// What comes back is due, also in a paused run.
        case returnsAreDue
        /// A run ends although some of its messages are under way again.
        case endIsNotAskedAgain
    }

    /// A look of a worker that is not acted upon yet.
    struct Look: Hashable {
        var move: Runs.Move?
        var event: RunEvent?
        var ends: Bool
        /// The run got another state since.
        var isOld = false
    }

    var state = RunState.running
    var places: [Place]
    var alive: [Bool]
    var persons: [Call?] = [nil, nil]
    var look: Look?
    var isTimeUp = false
    /// The run has been in its state for longer than `RunStep.settling`.
    var isSettled = false
    var wasCancelled = false
    var flaw: Flaw?

    init(streams: Int, workers: Int, flaw: Flaw? = nil) {
        self.flaw = flaw
        places = Array(repeating: .unmade, count: streams)
        alive = Array(repeating: true, count: workers)
    }

    // MARK: - What the run's row does

    /// - Returns: false: refused.
    @discardableResult
    mutating func change(_ event: RunEvent) -> Bool {
        switch state.on(event) {
        case .refused: return false
        case .stays: return true
        case .moves(let next, _):
            state = next
            isSettled = false
            if flaw != .lookIsNeverOld { look?.isOld = true }
            return true
        }
    }

    mutating func move(_ from: (Place) -> Bool, to place: Place) {
        for index in places.indices where from(places[index]) { places[index] = place }
    }

    /// Where a message goes that is due again (`push_internal.hold_returned`).
    var back: Place { state == .paused && flaw != .returnsAreDue ? .parked : .due }

    /// What a worker would learn of it.
    var facts: Runs.Look {
        var facts = Runs.Look(run: 1, state: state, since: .init(microseconds: 0))
        facts.inState = isSettled ? RunStep.settling : 0
        facts.endsIn = isTimeUp ? -1 : nil
        facts.expanded = Int64(places.count { $0 != .unmade })
        facts.isExpanded = !places.contains(.unmade)
        facts.open = places.count { $0 != .unmade && !$0.isFinal }
        facts.hasParked = places.contains(.parked)
        if facts.open == 0 {
            facts.results = .init(
                all: Int64(places.count { [.accepted, .rejected, .doubt, .expired].contains($0) }),
                rejected: Int64(places.count { $0 == .rejected }), expired: Int64(places.count { $0 == .expired }),
                doubts: Int64(places.count { $0 == .doubt }))
        }
        return facts
    }

    // MARK: - A worker's look, in two halves

    mutating func beginLook() {
        let step = RunStep.next(facts)
        look = Look(move: step.move, event: step.event, ends: step.ends)
    }

    mutating func endLook() {
        guard let look else { return }
        let leaves = flaw == .cancelLeavesParked
        self.look = nil
        if look.isOld { return }
        switch look.move {
        case .park: move({ $0 == .due }, to: .parked)
        case .giveBack: move({ $0 == .parked }, to: .due)
        case .cancel: move({ $0 == .due || $0 == .parked && !leaves }, to: .cancelled)
        case .expire: move({ $0 == .parked }, to: .expired)
        case nil: break
        }
        guard let event = look.event else { return }
        // push_worker.end_run_v1 asks again with the row locked.
        if look.ends, facts.open > 0, flaw != .endIsNotAskedAgain { return }
        change(event)
    }

    // MARK: - A person's calls

    mutating func begin(_ call: Call, by person: Int) {
        let leaves = flaw == .cancelLeavesParked
        switch call {
        case .pause:
            guard change(.pause) else { return }
            move({ $0 == .due }, to: .parked)
        case .resume:
            guard change(.resume) else { return }
            if let index = places.firstIndex(of: .parked) { places[index] = .due }
        case .cancel:
            guard change(.cancel) else { return }
            wasCancelled = true
            move({ $0 == .due || $0 == .parked && !leaves }, to: .cancelled)
        }
        persons[person] = call
    }

    /// The later calls: they hold the state, and fail when somebody else changed it (`push_internal.require_state`).
    mutating func goOn(_ person: Int) {
        let leaves = flaw == .cancelLeavesParked
        guard let call = persons[person] else { return }
        persons[person] = nil
        let isHeld = { (place: Place) in if case .held = place { true } else { false } }
        switch call {
        case .pause:
            guard state == .paused || flaw == .pauseForgetsTheState else { return }
            move({ isHeld($0) || $0 == .due }, to: .parked)
        case .resume:
            guard [.canary, .running, .waiting].contains(state) else { return }
            move({ $0 == .parked }, to: .due)
        case .cancel:
            guard [.cancelling, .cancelled, .expired].contains(state) else { return }
            move({ isHeld($0) || $0 == .due || $0 == .parked && !leaves }, to: .cancelled)
        }
    }

    /// What failed, or is in doubt, is sent again.
    mutating func sendAgain(_ place: Place) {
        guard places.contains(place), change(.retry) else { return }
        change(.sendAgain)
        move({ $0 == place }, to: back)
    }

    // MARK: - Workers

    mutating func rescue(_ worker: Int) {
        move({ $0 == .held(by: worker) }, to: back)
        move({ $0 == .wire(by: worker) }, to: .doubt)
        alive[worker] = true
    }
}
