import Providers
import PushModel
import Store

/// What was claimed and did not leave: each of its messages gets an outcome, too.
extension Lane {
    /// Messages that cannot become a post end here.
    func refuse(_ refusals: [Refusal], in claim: Claim) async {
        guard !refusals.isEmpty else { return }
        await context.recorder.record(
            left: refusals.map {
                let outcome = MessageOutcome($0.status, $0.reason, note: $0.text)
                return Completion.Left(claim: claim.id, message: $0.message, outcome: outcome)
            })
    }

    /// Not sent, and not to be sent by us now: due again at once, for any worker.
    func giveBack(_ messages: [Int64], of claim: Claim) async {
        guard !messages.isEmpty else { return }
        let reason: Reason = context.isRunning ? .hubClosed : .released
        let outcome = MessageOutcome.retrying(reason, after: 0, cost: 0)
        await context.recorder.record(
            left: messages.map { Completion.Left(claim: claim.id, message: $0, outcome: outcome) })
    }

    /// The database did not answer an intent, so it may be committed or not. Its posts never left.
    ///
    /// Records an answer for each: if the intent is committed after all, the post must not look sent. The messages go
    /// back to due.
    func withdraw(_ posts: [(id: Int64, messages: [Int64])], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "whether it was written down is not known, so it did not leave"))
        await context.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: nil, messages: $0.messages)
            })
        await giveBack(posts.flatMap(\.messages), of: claim)
    }

    /// The intent is committed, and it took so long that the posts may not leave any more. Their messages go back to due
    /// if the claim is still ours.
    func recall(_ posts: [(id: Int64, messages: [Int64])], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "the worker stood still before this post left"))
        let outcome = MessageOutcome.retrying(.notSent, after: 0, cost: 0)
        await context.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: outcome, messages: $0.messages)
            })
    }
}
