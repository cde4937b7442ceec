extension ProtocolModel {
    typealias Ticket = ProtocolState.Ticket

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
            return claims(of: worker, in: state)
        case .claimed(let ticket):
            return intent(of: worker, ticket, in: state)
        case .intending(let ticket, let isCancelled):
            if isCancelled {
                // Left out of the intent; the claim is finished, unless another session holds its row now.
                return [
                    go("leaves a cancelled message out", .idle) {
                        $0.tables.live.remove(state.number(of: ticket.claim))
                    }
                ]
            }
            return [go("commits its intent", .intended(ticket)) { $0.tables.posts.insert(state.post(ticket)) }]
        case .intended(let ticket):
            return [
                go("learns that its intent is committed", .ready(ticket)),
                go("loses the answer to its commit", .claimed(ticket)),
            ]
        case .ready(let ticket):
            return departures(of: worker, ticket, in: state)
        case .waiting(let ticket, let verdict):
            return [go("gets its answer", .answered(ticket, verdict))]
        case .answered(let ticket, let verdict):
            let number = state.number(of: ticket.claim)
            guard !isTaken(number, state) else { return [] }
            // A repeated one locks FOR NO KEY UPDATE and so waits until the first has ended.
            guard !isOrphaned(number, state) || variant == .repetitionSharesItsLock else { return [] }
            let completing = ProtocolState.Completing(
                ticket: ticket, verdict: verdict, isAlive: isAlive(ticket.claim, of: worker, state),
                isRecorded: state.tables.accepted.contains(state.post(ticket)))
            return [go("begins to complete", .completing(completing))]
        case .completing(let completing):
            let commit = complete(completing, "worker \(worker)", in: state) {
                $0.workers[worker] = .completed(completing.ticket, completing.verdict)
            }
            let loss = go("loses its connection while it records", .answered(completing.ticket, completing.verdict)) {
                $0.orphan = completing
            }
            return claimsOutlive && state.orphan == nil ? [commit, loss] : [commit]
        case .completed(let ticket, let verdict):
            let next = verdict == .split ? ProtocolState.Worker.claimed(ticket.next) : .idle
            return [
                go("learns that it is recorded", next) {
                    if claimsOutlive, verdict != .split { $0.tables.live.remove(state.number(of: ticket.claim)) }
                },
                go("loses the answer to its commit", .answered(ticket, verdict)),
            ]
        case .dead:
            return []
        }
    }

    private func claims(of worker: Int, in state: ProtocolState) -> [Step] {
        if state.isReplaced, !state.isNew[worker], variant != .claimIgnoresTheTimeline {
            return [change(state, "worker \(worker) registers anew") { $0.isNew[worker] = true }]
        }
        guard state.tables.isDue, state.claims < mostClaims else { return [] }
        let claim = state.claims
        let number = state.number(of: claim)
        return [
            change(state, "worker \(worker) claims, as claim \(number)") {
                $0.workers[worker] = .claimed(Ticket(claim: claim))
                $0.claims += 1
                $0.tables.nextClaim = number + 1
                $0.tables.isDue = false
                $0.tables.live.insert(number)
                $0.tables.made[number] = claim
                $0.tables.owners[number] = owner(worker, of: claim, state)
            }
        ]
    }

    /// The first half of the intent: locks the claim and sees whether it is there.
    private func intent(of worker: Int, _ ticket: Ticket, in state: ProtocolState) -> [Step] {
        if variant == .postsBeforeIntent, !state.tables.posts.contains(state.post(ticket)) {
            return departures(of: worker, ticket, in: state)
        }
        let number = state.number(of: ticket.claim)
        let waits =
            switch variant {
            case .intentOnlyLooks: false
            case .intentLocksTheKeyOnly: state.rescuer == .locked(number)
            default: isTaken(number, state)
            }
        guard !waits else { return [] }
        guard isAlive(ticket.claim, of: worker, state) else {
            return [change(state, "worker \(worker) finds that its claim is gone") { $0.workers[worker] = .idle }]
        }
        let isCancelled = state.tables.cancelled.contains(number)
        if ticket.n > ProtocolState.postsPerClaim, variant != .claimIsUnbounded, !isCancelled {
            return [
                change(state, "worker \(worker) gives back what its claim has no number for") {
                    $0.workers[worker] = .idle
                    $0.tables.left.insert(number)
                    $0.tables.live.remove(number)
                    $0.tables.newest = .retrying
                    $0.tables.isDue = true
                }
            ]
        }
        return [
            change(state, "worker \(worker) finds its claim") {
                $0.workers[worker] = .intending(ticket, isCancelled: isCancelled)
            }
        ]
    }

    /// The bytes leave, and the hub answers in one of its ways.
    private func departures(of worker: Int, _ ticket: Ticket, in state: ProtocolState) -> [Step] {
        // A post in doubt may still leave, from a worker that stood still before its first byte. A person who resends the message
        // and then cancels it has stopped the second post, not the first. What a standby never received may leave too.
        let isExcused =
            state.doubted.contains(ticket.identity)
            || state.isReplaced && ticket.claim < state.oldClaims && !state.survivors.contains(ticket.identity)
        let broken: String? =
            if isExcused { nil } else if state.tables.isErased {
                "a message was sent after it was erased"
            } else if state
                .tables.newest == .cancelled
            { "a message was sent after its cancellation was confirmed" } else { nil }
        func leave(_ name: String, _ verdict: ProtocolState.Verdict, isSent: Bool) -> Step {
            var step = change(state, "worker \(worker) posts: \(name)") {
                $0.workers[worker] = .waiting(ticket, verdict)
                if isSent { $0.sent.insert(ticket.identity) }
                if verdict == .split { $0.splits += 1 }
            }
            step.broken = broken
            return step
        }
        let split = leave("the hub refuses it as a whole", .split, isSent: false)
        return [
            leave("the hub takes it", .accepted, isSent: true),
            leave("the hub takes it and the answer is lost", .unknown, isSent: true),
            leave("the hub refuses it for now", .retry, isSent: false),
        ] + (state.splits < mostSplits ? [split] : [])
    }

    /// A completion that lost its worker commits in the end.
    func orphan(_ state: ProtocolState) -> [Step] {
        guard let orphan = state.orphan else { return [] }
        return [complete(orphan, "a lost connection", in: state) { $0.orphan = nil }]
    }

    /// The message is alone in its post, so an acceptance stands in its result and has no row in push.answer.
    private func complete(
        _ completing: ProtocolState.Completing, _ who: String, in state: ProtocolState,
        then next: (inout ProtocolState) -> Void
    ) -> Step {
        let (ticket, verdict, isAlive) = (completing.ticket, completing.verdict, completing.isAlive)
        let post = state.post(ticket)
        let isInResult = verdict == .accepted && isAlive
        let isNew =
            isInResult
            ? !completing.isRecorded || variant == .repetitionIsNotTold : !state.tables.answers.contains(post)
        var step = change(state, "\(who) records \(verdict)\(isAlive ? "" : ", its claim gone")") {
            next(&$0)
            if variant == .postsBeforeIntent { $0.tables.posts.insert(post) }
            guard isNew else { return }
            if !isInResult { $0.tables.answers.insert(post) }
            if verdict.isRefusal { $0.tables.refused.insert(post) }
            if isAlive || variant == .completionIgnoresTheClaim {
                settle(&$0, ticket, verdict)
            } else {
                settleDoubt(&$0, post, verdict)
            }
        }
        step.broken = whatAStaleCompletionBroke(from: state, to: step.state, ticket, isAlive: isAlive)
        return step
    }

    private func settle(_ state: inout ProtocolState, _ ticket: Ticket, _ verdict: ProtocolState.Verdict) {
        if verdict == .split { return }  // only the answer: the message leaves again in another post of this claim
        let (number, post) = (state.number(of: ticket.claim), state.post(ticket))
        // The new server may have the claim and not the post, whose messages are then unknown. So rescue takes what has no
        // result: nobody finishes a claim that was made on another server.
        let isFinished = ticket.claim >= state.oldClaims || variant == .oldClaimsAreFinished
        if isFinished, !claimsOutlive { state.tables.live.remove(number) }
        guard state.tables.posts.contains(post) || verdict == .accepted else { return }
        state.tables.left.insert(number)
        switch verdict {
        case .accepted:
            state.tables.newest = .accepted(post)
            state.tables.accepted.insert(post)
            state.tables.acceptances += 1
        case .unknown:
            state.tables.newest = .doubt(post)
            state.doubted.insert(state.identity(ofPost: post))
        case .retry, .split:
            state.tables.newest = .retrying
            state.tables.isDue = true
        }
    }

    /// A late answer.
    private func settleDoubt(_ state: inout ProtocolState, _ post: Int, _ verdict: ProtocolState.Verdict) {
        let isOwn = state.tables.newest == .doubt(post)
        let isAny = if case .doubt = state.tables.newest { true } else { false }
        guard isOwn || isAny && variant == .lateAnswerSettlesAnyDoubt else { return }
        if verdict == .accepted {
            state.tables.newest = .accepted(post)
            state.tables.accepted.insert(post)
            state.tables.acceptances += 1
        } else if verdict.isRefusal, variant != .lateRefusalIsIgnored {
            state.tables.newest = .retrying
            state.tables.isDue = true
        }
    }

    private func whatAStaleCompletionBroke(
        from before: ProtocolState, to after: ProtocolState, _ ticket: Ticket, isAlive: Bool
    ) -> String? {
        let (old, new) = (before.tables, after.tables)
        guard old.newest != new.newest || old.isDue != new.isDue || old.live != new.live else { return nil }
        let isOwn = old.made[before.number(of: ticket.claim)] == ticket.claim
        if isAlive { return isOwn ? nil : "a completion settled a claim that is not its own" }
        return isOwn && old.newest == .doubt(before.post(ticket))
            ? nil : "a completion without a claim changed something other than the doubt of its own post"
    }
}
