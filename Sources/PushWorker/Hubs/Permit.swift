import Synchronization

/// What a gate allows a lane. A probe that is not used goes back by itself, so that another lane may have it.
enum Permit: Sendable {
    case closed
    case open
    case probe(ProbePermit)

    /// What the gate said, without the permission itself.
    var admission: Gate.Admission {
        switch self {
        case .closed: .closed
        case .open: .open
        case .probe: .probe
        }
    }

    /// A post has left.
    func use() { if case .probe(let probe) = self { probe.use() } }

    /// No post will leave. Does nothing after `use`.
    func giveBack() { if case .probe(let probe) = self { probe.giveBack() } }
}

/// Permission to try a hub with one post. Not used, it has shown nothing and goes back, at the latest with the last
/// reference.
final class ProbePermit: Sendable {
    private let gate: Gate
    private let isUrgent: Bool
    private let isOver = Atomic(false)

    init(_ gate: Gate, isUrgent: Bool) { (self.gate, self.isUrgent) = (gate, isUrgent) }

    /// The post has left; its answer decides.
    func use() { isOver.store(true, ordering: .relaxed) }

    /// It did not leave. Changes nothing for one that is used, or was given back.
    func giveBack() { if !isOver.exchange(true, ordering: .relaxed) { gate.giveBackProbe(isUrgent: isUrgent) } }

    deinit { giveBack() }
}

extension Gate {
    /// As `admit`, as a value that gives back a probe that is not used.
    ///
    /// - Parameters:
    ///   - now: monotonic seconds.
    ///   - isUrgent: whether the post is. Default false.
    func permit(now: Double, isUrgent: Bool = false) -> Permit {
        switch admit(now: now, isUrgent: isUrgent) {
        case .closed: .closed
        case .open: .open
        case .probe: .probe(ProbePermit(self, isUrgent: isUrgent))
        }
    }
}
