import Providers
import PushModel
import Store

/// What was claimed and did not leave: each of its messages gets an outcome, too.
extension Lane {
    /// Messages that cannot become a post end here.
    func refuse(_ refusals: [Refusal], in claim: Claim) async {
        guard !refusals.isEmpty else { return }
        let traces = PostAttributes(claim, onDoubt: hub.settings.onDoubt)
        for refusal in refusals {
            let outcome = MessageOutcome(refusal.status, refusal.reason, note: refusal.text)
            context.events.report(
                .refused([refusal.message], outcome, traces.traces(of: [refusal.message]), at: hub))
        }
        await context.recorder.record(
            left: refusals.map {
                let outcome = MessageOutcome($0.status, $0.reason, note: $0.text)
                return Completion.Left(claim: claim.id, message: $0.message, outcome: outcome)
            })
    }

    /// Posts that did not leave, and are not to be sent by us now. A part of a post that the hub refused waits as the whole
    /// would have.
    func giveBack(_ posts: ArraySlice<Outgoing>, of claim: Claim) async {
        await giveBack(posts.filter { $0.unsent == nil }.flatMap(\.post.messages), of: claim)
        let refused = posts.flatMap { outgoing in
            outgoing.unsent.map { outcome in
                outgoing.post.messages.map { Completion.Left(claim: claim.id, message: $0, outcome: outcome) }
            } ?? []
        }
        if !refused.isEmpty { await context.recorder.record(left: refused) }
    }

    /// Not sent, and not to be sent by us now: due again at once, for any worker. Those of a held hub are due in any order
    /// within a second: its next probe should not be the neighbour of the message it has just refused.
    func giveBack(_ messages: [Int64], of claim: Claim) async {
        guard !messages.isEmpty else { return }
        let reason: Reason = context.isRunning ? .hubClosed : .released
        let latest: Double = context.isRunning && hub.gate.isHeld ? 1 : 0
        await context.recorder.record(
            left: messages.map {
                let outcome = MessageOutcome.retrying(reason, after: Double.random(in: 0...latest), cost: 0)
                return Completion.Left(claim: claim.id, message: $0, outcome: outcome)
            })
    }

    /// The database did not answer an intent, so it may be committed or not. Its posts never left.
    ///
    /// Records an answer for each: if the intent is committed after all, the post must not look sent. The messages go
    /// back to due.
    func withdraw(_ posts: [(id: Int64, messages: [Int64])], of claim: Claim) async {
        let why = "whether it was written down is not known, so it did not leave"
        var answer = Answer(verdict: .notSent(because: why))
        answer.error = why
        await context.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: nil, messages: $0.messages)
            })
        await giveBack(posts.flatMap(\.messages), of: claim)
    }
}
