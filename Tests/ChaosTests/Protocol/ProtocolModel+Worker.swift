extension ProtocolModel {
    func steps(of worker: Int, in state: ProtocolState) -> [Step] {
        func go(_ name: String, _ phase: ProtocolState.Worker, _ body: (inout ProtocolState) -> Void = { _ in }) -> Step
        {
            change(state, "worker \(worker) \(name)") {
                $0.workers[worker] = phase
                body(&$0)
            }
        }
        switch state.workers[worker] {
        case .idle:
            guard state.isDue, state.claims < mostClaims else { return [] }
            return [
                go("claims", .claimed(state.claims)) {
                    $0.isDue = false
                    $0.live.insert($0.claims)
                    $0.claims += 1
                }
            ]
        case .claimed(let claim):
            return intent(of: worker, claim, in: state)
        case .intending(let claim, let isCancelled):
            if isCancelled {
                // Left out of the intent; the claim is finished, unless another session holds its row now.
                return [go("leaves a cancelled message out", .idle) { $0.live.remove(claim) }]
            }
            return [go("commits its intent", .intended(claim)) { $0.posts.insert(claim) }]
        case .intended(let claim):
            return [
                go("learns that its intent is committed", .ready(claim)),
                go("loses the answer to its commit", .claimed(claim)),
            ]
        case .ready(let claim):
            return departures(of: worker, claim, in: state)
        case .waiting(let claim, let verdict):
            return [go("gets its answer", .answered(claim, verdict))]
        case .answered(let claim, let verdict):
            guard !isTaken(claim, state) else { return [] }
            let isAlive = state.live.contains(claim)
            return [go("begins to complete", .completing(claim, verdict, isAlive: isAlive))]
        case .completing(let claim, let verdict, let isAlive):
            return [complete(worker, claim, verdict, isAlive: isAlive, in: state)]
        case .completed(let claim, let verdict):
            return [
                go("learns that it is recorded", .idle),
                go("loses the answer to its commit", .answered(claim, verdict)),
            ]
        case .dead:
            return []
        }
    }

    /// The first half of the intent: locks the claim and sees whether it is there.
    private func intent(of worker: Int, _ claim: Int, in state: ProtocolState) -> [Step] {
        if variant == .postsBeforeIntent, !state.posts.contains(claim) {
            return departures(of: worker, claim, in: state)
        }
        let waits =
            switch variant {
            case .intentOnlyLooks: false
            case .intentLocksTheKeyOnly: state.rescuer == .locked(claim)
            default: isTaken(claim, state)
            }
        guard !waits else { return [] }
        guard state.live.contains(claim) else {
            return [change(state, "worker \(worker) finds that its claim is gone") { $0.workers[worker] = .idle }]
        }
        let isCancelled = state.cancelled.contains(claim)
        return [
            change(state, "worker \(worker) finds its claim") {
                $0.workers[worker] = .intending(claim, isCancelled: isCancelled)
            }
        ]
    }

    /// The bytes leave, and the hub answers in one of its ways.
    private func departures(of worker: Int, _ claim: Int, in state: ProtocolState) -> [Step] {
        // A post in doubt may still leave, from a worker that stood still before its first byte. A person who resends the message
        // and then cancels it has stopped the second post, not the first.
        let isBroken = state.newest == .cancelled && !state.doubted.contains(claim)
        let broken = isBroken ? "a message was sent after its cancellation was confirmed" : nil
        func leave(_ name: String, _ verdict: ProtocolState.Verdict, isSent: Bool) -> Step {
            var step = change(state, "worker \(worker) posts: \(name)") {
                $0.workers[worker] = .waiting(claim, verdict)
                if isSent { $0.sent.insert(claim) }
            }
            step.broken = broken
            return step
        }
        return [
            leave("the hub takes it", .accepted, isSent: true),
            leave("the hub takes it and the answer is lost", .unknown, isSent: true),
            leave("the hub refuses it for now", .retry, isSent: false),
        ]
    }

    private func complete(
        _ worker: Int, _ claim: Int, _ verdict: ProtocolState.Verdict, isAlive: Bool, in state: ProtocolState
    ) -> Step {
        let isNew = !state.answers.contains(claim)
        var step = change(state, "worker \(worker) records \(verdict)\(isAlive ? "" : ", its claim gone")") {
            $0.workers[worker] = .completed(claim, verdict)
            if variant == .postsBeforeIntent { $0.posts.insert(claim) }
            guard isNew else { return }
            $0.answers.insert(claim)
            if isAlive || variant == .completionIgnoresTheClaim {
                $0.left.insert(claim)
                switch verdict {
                case .accepted: $0.newest = .accepted(claim)
                case .unknown: $0.newest = .doubt(claim)
                case .retry:
                    $0.newest = .retrying
                    $0.isDue = true
                }
                $0.live.remove(claim)
            } else if verdict == .accepted {
                let isOwn = $0.newest == .doubt(claim)
                let isAny = if case .doubt = $0.newest { true } else { false }
                if isOwn || isAny && variant == .lateAnswerSettlesAnyDoubt { $0.newest = .accepted(claim) }
            }
        }
        let isStale = !isAlive && (step.state.newest != state.newest || step.state.isDue != state.isDue)
        if isStale, !(state.newest == .doubt(claim) && step.state.newest == .accepted(claim)) {
            step.broken = "a completion without a claim changed something other than the doubt of its own post"
        }
        return step
    }
}
