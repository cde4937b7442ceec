/// The protocol of docs/storage.md as steps between states: claim, intent, post, complete, rescue, cancel, resolve.
///
/// Every step is one statement with its commit, or the part of a transaction between two locks. A paused worker is one whose
/// next step comes late: no step looks at a clock, and rescue may take a claim from a living worker. So what holds here holds
/// without leases.
struct ProtocolModel {
    /// The protocol as built, and with one part removed.
    enum Variant: CaseIterable {
        case asBuilt
        /// The intent tests with EXISTS that its claim is there, and locks nothing.
        case intentOnlyLooks
        /// The intent locks its claim FOR KEY SHARE, which an UPDATE of `cancelled` does not wait for.
        case intentLocksTheKeyOnly
        /// Bytes leave before the intent is written.
        case postsBeforeIntent
        /// Rescue reads the posts before it locks the claim.
        case rescueReadsFirst
        /// Rescue takes every message of a dead worker for unsent, as a queue without intents has to.
        case rescueIgnoresPosts
        /// Completion writes results although its claim is gone.
        case completionIgnoresTheClaim
        /// A late answer settles any doubt of its messages, not only the one of its own post.
        case lateAnswerSettlesAnyDoubt
    }

    /// A step, and the promise it broke at once, if any.
    struct Step {
        var name: String
        var state: ProtocolState
        var broken: String?
    }

    let variant: Variant
    /// Claims at most, and so tries of the message.
    var mostClaims = 3
    var mostCrashes = 1
    /// Whether a person cancels the message at any moment.
    var isCancelled = true

    func steps(from state: ProtocolState) -> [Step] {
        var steps: [Step] = []
        for worker in state.workers.indices {
            steps += self.steps(of: worker, in: state)
            if state.workers[worker] == .dead {
                steps.append(change(state, "worker \(worker) starts again") { $0.workers[worker] = .idle })
            } else if state.crashes < mostCrashes {
                steps.append(
                    change(state, "worker \(worker) is killed") {
                        $0.workers[worker] = .dead
                        $0.crashes += 1
                    })
            }
        }
        return steps + rescue(state) + (isCancelled ? cancel(state) : []) + resolve(state)
    }

    func change(_ state: ProtocolState, _ name: String, _ body: (inout ProtocolState) -> Void) -> Step {
        var next = state
        body(&next)
        return Step(name: name, state: next)
    }

    // MARK: - Locks

    /// Whether an intent or a completion holds the claim's row FOR SHARE.
    func isShared(_ claim: Int, _ state: ProtocolState) -> Bool {
        state.workers.contains { worker in
            if case .intending = worker, variant == .intentOnlyLooks { return false }
            return worker.shares == claim
        }
    }

    /// Whether an UPDATE of the row has to wait.
    func isShareLockedAgainstUpdate(_ claim: Int, _ state: ProtocolState) -> Bool {
        state.workers.contains { worker in
            if case .intending = worker, variant == .intentOnlyLooks || variant == .intentLocksTheKeyOnly {
                return false
            }
            return worker.shares == claim
        }
    }

    /// Whether FOR SHARE has to wait.
    func isTaken(_ claim: Int, _ state: ProtocolState) -> Bool {
        state.rescuer == .locked(claim) || state.person == .cancelling(claim)
    }
}
