import PushModel
import Store

@testable import Campaigns

extension RunModel {
    /// Every state that one event can lead to from this one.
    var successors: [RunModel] {
        var all: [RunModel] = []
        func add(_ change: (inout RunModel) -> Void) {
            var next = self
            change(&next)
            if next != self { all.append(next) }
        }
        for index in places.indices {
            for worker in alive.indices where alive[worker] {
                switch places[index] {
                case .unmade where state == .running: add { $0.places[index] = .due }
                case .due: add { $0.places[index] = .held(by: worker) }
                case .held(worker): add { $0.places[index] = .wire(by: worker) }
                case .wire(worker):
                    add { $0.places[index] = .accepted }
                    add { $0.places[index] = .rejected }
                default: break
                }
            }
        }
        for worker in alive.indices {
            if alive[worker] { add { $0.alive[worker] = false } } else { add { $0.rescue(worker) } }
        }
        for person in persons.indices {
            if persons[person] == nil {
                for call in [Call.pause, .resume, .cancel] { add { $0.begin(call, by: person) } }
            } else {
                add { $0.goOn(person) }
                add { $0.persons[person] = nil }  // the program was ended
            }
        }
        if look == nil { add { $0.beginLook() } } else { add { $0.endLook() } }
        add { $0.sendAgain(.rejected) }
        add { $0.sendAgain(.doubt) }
        add { $0.isTimeUp = true }
        add { $0.isSettled = true }
        return all
    }

    /// What a worker alone makes of it: looks, and nothing is claimed or made.
    func afterLooks() -> RunModel {
        var next = self
        next.persons = [nil, nil]
        next.endLook()
        for _ in 0..<3 {
            next.beginLook()
            next.endLook()
        }
        return next
    }

    /// How it ends when workers go on and persons only resume what is paused.
    func ended() -> RunModel {
        var next = self
        next.persons = [nil, nil]
        for _ in 0..<8 where !(next.state.isOver && next.places.allSatisfy { $0.isFinal || $0 == .unmade }) {
            for worker in next.alive.indices where !next.alive[worker] { next.rescue(worker) }
            next.endLook()
            if next.state == .paused {
                next.begin(.resume, by: 0)
                next.goOn(0)
            }
            for index in next.places.indices {
                switch next.places[index] {
                case .unmade where next.state == .running: next.places[index] = .accepted
                case .due, .held, .wire: next.places[index] = .accepted
                default: break
                }
            }
            next.beginLook()
            next.endLook()
        }
        return next
    }

    /// What is wrong with a step that leads from a state to this one; nil: nothing. A look would mend most of it, so it is
    /// asked of the step itself.
    func fault(after before: RunModel) -> String? {
        for (old, new) in zip(before.places, places) where old != new {
            if new == .parked, state != .paused { return "parks in a run that is \(state)" }
            if new == .due, state == .paused { return "makes a message of a paused run due" }
        }
        if state != before.state, [.done, .failed, .cancelled].contains(state),
            !places.allSatisfy({ $0.isFinal || $0 == .unmade })
        {
            return "is \(state) with \(places)"
        }
        return nil
    }

    /// What is wrong with it; nil: nothing.
    var fault: String? {
        let settled = afterLooks()
        if settled.state == .paused, !settled.isSettled, settled.places.contains(.due) {
            return "a paused run has messages that are due"
        }
        if settled.state != .paused, settled.places.contains(.parked) {
            return "parked in a run that is \(settled.state)"
        }
        let end = ended()
        if !end.state.isOver { return "does not end: \(end.state) \(end.places)" }
        if !end.places.allSatisfy({ $0.isFinal || $0 == .unmade }) { return "ends with \(end.places)" }
        if wasCancelled, end.state != .cancelled, end.state != .expired { return "was cancelled and is \(end.state)" }
        if !wasCancelled, end.state == .cancelled { return "is cancelled, and nobody asked" }
        if [.done, .failed].contains(end.state), end.places.contains(.unmade) {
            return "\(end.state) before it was through"
        }
        return nil
    }
}
