extension ProtocolModel {
    /// Rescue of any claim at any moment, even of one whose worker lives.
    func rescue(_ state: ProtocolState) -> [Step] {
        switch state.rescuer {
        case .idle:
            if variant == .rescueReadsFirst {
                return state.tables.live.members.map { claim in
                    change(state, "rescue reads the posts of claim \(claim)") {
                        $0.rescuer = .looked(claim, sawPost: unanswered(claim, state) != nil)
                    }
                }
            }
            return state.tables.live.members.filter { isFree($0, state) }.map { claim in
                change(state, "rescue locks claim \(claim)") { $0.rescuer = .locked(claim) }
            }
        case .locked(let claim):
            return [rescued(claim, sawPost: unanswered(claim, state) != nil, state)]
        case .looked(let claim, let sawPost):
            guard state.tables.live.contains(claim) else {
                return [change(state, "rescue finds that claim \(claim) is gone") { $0.rescuer = .idle }]
            }
            return isFree(claim, state) ? [rescued(claim, sawPost: sawPost, state)] : []
        }
    }

    /// Whether FOR UPDATE SKIP LOCKED gets the row.
    private func isFree(_ claim: Int, _ state: ProtocolState) -> Bool {
        !isShared(claim, state) && state.person != .cancelling(claim)
    }

    /// A post of the claim that has no answer.
    private func unanswered(_ claim: Int, _ state: ProtocolState) -> Int? {
        ProtocolState.posts(ofNumber: claim).last { post in
            state.tables.posts.contains(post)
                && (variant == .rescueIgnoresAnswers || !state.tables.answers.contains(post))
        }
    }

    private func rescued(_ claim: Int, sawPost: Bool, _ state: ProtocolState) -> Step {
        let isInDoubt = sawPost && variant != .rescueIgnoresPosts
        return change(state, "rescue of claim \(claim): \(isInDoubt ? "in doubt" : "was not sent")") {
            $0.rescuer = .idle
            $0.tables.live.remove(claim)
            guard !$0.tables.left.contains(claim) else { return }
            if isInDoubt, let post = unanswered(claim, state) {
                $0.tables.newest = .doubt(post)
                $0.doubted.insert(state.identity(ofPost: post))
                $0.tables.left.insert(claim)
            } else {
                $0.tables.isDue = true
            }
        }
    }

    /// push.cancel or push.erase, once: deletes the pointer, or marks the claim and then looks for a post.
    func act(_ state: ProtocolState) -> [Step] {
        if person == .away { return [] }
        let erases = person == .erases
        switch state.person {
        case .idle:
            if state.tables.newest.isFinal { return erases ? [erased(state, "a person erases what is final")] : [] }
            if state.tables.isDue {
                return [
                    change(state, "a person \(person) what is due") {
                        $0.person = .done
                        $0.tables.isDue = false
                        $0.tables.newest = .cancelled
                        $0.tables.isErased = erases
                    }
                ]
            }
            if variant == .eraseIgnoresTheClaim { return [erased(state, "a person erases what a worker holds")] }
            return state.tables.live.members.filter { claim in
                !state.tables.left.contains(claim) && !isShareLockedAgainstUpdate(claim, state)
                    && state.rescuer != .locked(claim)
            }.map { claim in
                change(state, "a person marks claim \(claim)") { $0.person = .cancelling(claim) }
            }
        case .cancelling(let claim):
            if state.tables.left.contains(claim) || unanswered(claim, state) != nil {
                return [change(state, "a person is told too_late") { $0.person = .done }]
            }
            return [
                change(state, "a person is told that it is cancelled") {
                    $0.person = .done
                    $0.tables.cancelled.insert(claim)
                    $0.tables.newest = .cancelled
                    $0.tables.left.insert(claim)
                    $0.tables.isErased = erases
                }
            ]
        case .done:
            return []
        }
    }

    private func erased(_ state: ProtocolState, _ name: String) -> Step {
        change(state, name) {
            $0.person = .done
            $0.tables.isErased = true
            if case .doubt = state.tables.newest, variant != .eraseLeavesTheDoubt { $0.tables.newest = .rejected }
        }
    }

    /// push.resolve with `resend`.
    func resolve(_ state: ProtocolState) -> [Step] {
        guard case .doubt = state.tables.newest, state.resends < mostResends else { return [] }
        return [
            change(state, "a person sends it again") {
                $0.tables.newest = .resent
                $0.tables.isDue = true
                $0.resends += 1
            }
        ]
    }

    /// A standby stops to receive, and later takes over: what is in the tables since then is gone, and transactions end.
    func replace(_ state: ProtocolState) -> [Step] {
        guard isReplaced, !state.isReplaced else { return [] }
        guard let standby = state.standby else {
            return [change(state, "the standby stops to receive") { $0.standby = state.tables }]
        }
        return [
            change(state, "the standby takes over") {
                $0.tables = standby
                $0.standby = nil
                $0.isReplaced = true
                $0.oldClaims = state.claims
                let comeAgain: Set<Variant> = [.claimIgnoresTheTimeline, .numbersComeAgain, .epochIsIgnored]
                $0.fallback = comeAgain.contains(variant) ? state.claims - standby.nextClaim : 0
                for post in standby.posts.members { $0.survivors.insert(state.identity(ofPost: post)) }
                $0.rescuer = .idle
                $0.orphan = nil
                if $0.person != .done { $0.person = .idle }
                for (worker, phase) in state.workers.enumerated() {
                    switch phase {
                    case .intending(let ticket, _): $0.workers[worker] = .claimed(ticket)
                    case .completing(let cut): $0.workers[worker] = .answered(cut.ticket, cut.verdict)
                    default: break
                    }
                }
            }
        ]
    }
}
