extension ProtocolModel {
    /// Rescue of any claim at any moment, even of one whose worker lives.
    func rescue(_ state: ProtocolState) -> [Step] {
        switch state.rescuer {
        case .idle:
            if variant == .rescueReadsFirst {
                return state.live.members.map { claim in
                    change(state, "rescue reads the posts of claim \(claim)") {
                        $0.rescuer = .looked(claim, sawPost: isUnanswered(claim, state))
                    }
                }
            }
            return state.live.members.filter { isFree($0, state) }.map { claim in
                change(state, "rescue locks claim \(claim)") { $0.rescuer = .locked(claim) }
            }
        case .locked(let claim):
            return [rescued(claim, sawPost: isUnanswered(claim, state), state)]
        case .looked(let claim, let sawPost):
            guard state.live.contains(claim) else {
                return [change(state, "rescue finds that claim \(claim) is gone") { $0.rescuer = .idle }]
            }
            return isFree(claim, state) ? [rescued(claim, sawPost: sawPost, state)] : []
        }
    }

    /// Whether FOR UPDATE SKIP LOCKED gets the row.
    private func isFree(_ claim: Int, _ state: ProtocolState) -> Bool {
        !isShared(claim, state) && state.person != .cancelling(claim)
    }

    private func isUnanswered(_ claim: Int, _ state: ProtocolState) -> Bool {
        state.posts.contains(claim) && !state.answers.contains(claim)
    }

    private func rescued(_ claim: Int, sawPost: Bool, _ state: ProtocolState) -> Step {
        let isInDoubt = sawPost && variant != .rescueIgnoresPosts
        return change(state, "rescue of claim \(claim): \(isInDoubt ? "in doubt" : "was not sent")") {
            $0.rescuer = .idle
            $0.live.remove(claim)
            guard !$0.left.contains(claim) else { return }
            if isInDoubt {
                $0.newest = .doubt(claim)
                $0.doubted.insert(claim)
                $0.left.insert(claim)
            } else {
                $0.isDue = true
            }
        }
    }

    /// push.cancel, once: deletes the pointer, or marks the claim and then looks for a post.
    func cancel(_ state: ProtocolState) -> [Step] {
        switch state.person {
        case .idle:
            if state.newest.isFinal { return [] }
            if state.isDue {
                return [
                    change(state, "a person cancels what is due") {
                        $0.person = .done
                        $0.isDue = false
                        $0.newest = .cancelled
                    }
                ]
            }
            return state.live.members.filter { claim in
                !state.left.contains(claim) && !isShareLockedAgainstUpdate(claim, state)
                    && state.rescuer != .locked(claim)
            }.map { claim in
                change(state, "a person marks claim \(claim)") { $0.person = .cancelling(claim) }
            }
        case .cancelling(let claim):
            if state.left.contains(claim) || isUnanswered(claim, state) {
                return [change(state, "cancel answers too_late") { $0.person = .done }]
            }
            return [
                change(state, "cancel answers cancelled") {
                    $0.person = .done
                    $0.cancelled.insert(claim)
                    $0.newest = .cancelled
                    $0.left.insert(claim)
                }
            ]
        case .done:
            return []
        }
    }

    /// push.resolve with `resend`, once.
    func resolve(_ state: ProtocolState) -> [Step] {
        guard case .doubt = state.newest, state.resends == 0 else { return [] }
        return [
            change(state, "a person sends it again") {
                $0.newest = .resent
                $0.isDue = true
                $0.resends += 1
            }
        ]
    }
}
