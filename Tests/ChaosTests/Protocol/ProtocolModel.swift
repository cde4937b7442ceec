/// The protocol of docs/storage.md as steps between states: claim, intent, post, complete, rescue, cancel, erase, resolve, and a
/// fail-over to a standby that lags.
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
        /// A late answer that says that nothing was sent leaves its message in doubt.
        case lateRefusalIsIgnored
        /// A claim may have more posts than its numbers reach.
        case claimIsUnbounded
        /// After a split, rescue takes the answered whole for a post that may have been sent.
        case rescueIgnoresAnswers
        /// A worker goes on claiming on a server that was replaced, before the numbers are moved on.
        case claimIgnoresTheTimeline
        /// All register anew after a fail-over, but the numbers are not moved on.
        case numbersComeAgain
        /// ... and nothing but the number tells whose claim it is.
        case epochIsIgnored
        /// After a fail-over that lost its posts, a worker goes on finishing the claims it made before.
        case oldClaimsAreFinished
        /// Erasing removes the content and does not mark the claim that holds the message.
        case eraseIgnoresTheClaim
        /// A repeated completion does not look whether an acceptance was recorded before.
        case repetitionIsNotTold
        /// ... it looks, but under a lock that the first one, which may still run, shares.
        case repetitionSharesItsLock
        /// An erased message stays in doubt, so a late refusal puts it back.
        case eraseLeavesTheDoubt
    }

    /// What a person does, once, at any moment.
    enum PersonKind { case away, cancels, erases }

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
    /// How often a person sends a message again whose fate is in doubt.
    var mostResends = 1
    /// Refusals of a whole post at most.
    var mostSplits = 0
    var person = PersonKind.cancels
    /// Whether each claim holds another message too, so that recording this one does not finish it, and whether a worker may
    /// lose its connection while it records.
    var claimsOutlive = false
    /// Whether a standby that lags may take over.
    var isReplaced = false

    func steps(from state: ProtocolState) -> [Step] {
        var steps: [Step] = []
        for worker in state.workers.indices {
            steps += self.steps(of: worker, in: state)
            if state.workers[worker] == .dead {
                steps.append(
                    change(state, "worker \(worker) starts again") {
                        $0.workers[worker] = .idle
                        $0.isNew[worker] = $0.isReplaced
                    })
            } else if state.crashes < mostCrashes {
                steps.append(
                    change(state, "worker \(worker) is killed") {
                        $0.workers[worker] = .dead
                        $0.crashes += 1
                    })
            }
        }
        return steps + orphan(state) + rescue(state) + act(state) + resolve(state) + replace(state)
    }

    func change(_ state: ProtocolState, _ name: String, _ body: (inout ProtocolState) -> Void) -> Step {
        var next = state
        body(&next)
        return Step(name: name, state: next)
    }

    // MARK: - Locks

    /// Whether an intent or a completion holds the claim's row FOR SHARE.
    func isShared(_ number: Int, _ state: ProtocolState) -> Bool {
        isOrphaned(number, state)
            || state.workers.contains { worker in
                if case .intending = worker, variant == .intentOnlyLooks { return false }
                return worker.shares.map { state.number(of: $0) } == number
            }
    }

    /// Whether an UPDATE of the row has to wait.
    func isShareLockedAgainstUpdate(_ number: Int, _ state: ProtocolState) -> Bool {
        isOrphaned(number, state)
            || state.workers.contains { worker in
                if case .intending = worker, variant == .intentOnlyLooks || variant == .intentLocksTheKeyOnly {
                    return false
                }
                return worker.shares.map { state.number(of: $0) } == number
            }
    }

    /// Whether a completion that lost its worker holds the claim's row.
    func isOrphaned(_ number: Int, _ state: ProtocolState) -> Bool {
        state.orphan?.shares.map { state.number(of: $0) } == number
    }

    /// Whether FOR SHARE has to wait.
    func isTaken(_ number: Int, _ state: ProtocolState) -> Bool {
        state.rescuer == .locked(number) || state.person == .cancelling(number)
    }

    // MARK: - Whose claim it is

    /// Worker and epoch: a worker that registers anew gets another epoch.
    func owner(_ worker: Int, of claim: Int, _ state: ProtocolState) -> Int {
        1 + worker + (claim >= state.oldClaims && state.isNew[worker] ? 2 : 0)
    }

    /// Whether the database has this claim of this worker.
    func isAlive(_ claim: Int, of worker: Int, _ state: ProtocolState) -> Bool {
        let number = state.number(of: claim)
        guard state.tables.live.contains(number) else { return false }
        return variant == .epochIsIgnored || state.tables.owners[number] == owner(worker, of: claim, state)
    }
}
