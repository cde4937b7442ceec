import Providers
import PushModel
import Store

/// What was claimed and did not leave: every message of it gets its word, too.
extension Lane {
    /// Messages that no post can be made of end here.
    func refuse(_ refusals: [Refusal], in claim: Claim) async {
        guard !refusals.isEmpty else { return }
        await context.recorder.record(
            left: refusals.map {
                let outcome = MessageOutcome($0.status, $0.reason, note: $0.text)
                return Completion.Left(claim: claim.id, message: $0.message, outcome: outcome)
            })
    }

    /// Not sent and not to be sent by us now: due again at once, for whoever may.
    func giveBack(_ messages: [Int64], of claim: Claim) async {
        guard !messages.isEmpty else { return }
        let reason: Reason = context.isOpen ? .hubClosed : .released
        let outcome = MessageOutcome.retrying(reason, after: 0, cost: 0)
        await context.recorder.record(
            left: messages.map { Completion.Left(claim: claim.id, message: $0, outcome: outcome) })
    }

    /// Posts that never left and of which nobody knows whether they were written down: the database did not answer. They
    /// are answered for, so that none of them, though it be written down this very moment, looks like one that left; their
    /// messages go back to due.
    func withdraw(_ posts: [(id: Int64, messages: [Int64])], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "whether it was written down is not known, so it did not leave"))
        await context.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: nil, messages: $0.messages)
            })
        await giveBack(posts.flatMap(\.messages), of: claim)
    }

    /// Posts that were written down and did not leave because we stood still too long in between. If the claim is still
    /// ours they go back to due.
    func recall(_ posts: [(id: Int64, messages: [Int64])], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "the worker stood still before this post left"))
        let outcome = MessageOutcome.retrying(.notSent, after: 0, cost: 0)
        await context.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: outcome, messages: $0.messages)
            })
    }
}
