import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// The last steps of the way out: intent → post.
extension Lane {
    /// What became of one portion.
    struct SendResult: Sendable {
        /// Posts that left.
        var sent = 0
        /// Posts planned anew, because somebody cancelled one of their messages.
        var again: [Outgoing] = []
        /// Another session holds the claim: nothing more of it may leave now.
        var isHeld = false
        /// The claim is not ours any more.
        var isRescued = false
    }

    /// Intent, committed before the first byte leaves; then the bytes.
    ///
    /// The places in the hub's window that were taken for posts which did not leave are the caller's to put back.
    func leave(_ portion: [(n: Int, out: Outgoing)], of claim: Claim, _ facts: PostAttributes) async -> SendResult {
        let token = hub.tokens.token()
        let requests = await sign(portion, of: claim, token: token)
        let began = context.clock.monotonic()
        guard
            let intent = await context.retrying(
                doing: "write what is about to be posted",
                {
                    () async throws(DatabaseError) in
                    try await queue.intend(requests.map { ($0.n, $0.out.post) }[...], under: claim.id)
                })
        else {
            await withdraw(requests.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            if context.isOpen { await context.pause(after: 1) }
            return SendResult()
        }
        guard let intent else {
            context.log.warning("a claim was rescued before it was posted", metadata: ["claim": "\(claim.id)"])
            return SendResult(isRescued: true)
        }
        if intent.isHeld {
            context.log.warning(
                "another session holds a claim of ours; its messages go back to due when that ends",
                metadata: ["claim": "\(claim.id)", "hub": "\(hub.settings.name)"])
            // This time nothing was written; a time before, whose answer was lost, it may have been.
            await withdraw(requests.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            return SendResult(isHeld: true)
        }
        let leaving = requests.filter { intent.written.contains($0.n) }
        let stopped = requests.filter { !intent.written.contains($0.n) }
        guard context.clock.monotonic() - began < context.settings.leaseSeconds / 2 else {
            await recall(leaving.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            await giveBack(stopped.flatMap(\.out.post.messages), of: claim)
            return SendResult()
        }
        let leftAt = context.clock.monotonic()
        inFlight.depart(
            leaving.map { (claim.post($0.n), flight(of: $0.out, claim, facts, token: token, leftAt: leftAt)) })
        channel.submit(leaving.map(\.request))
        return SendResult(
            sent: leaving.count,
            again: await planAgain(stopped.map(\.out), without: intent.cancelled, of: claim))
    }

    private func flight(
        of out: Outgoing, _ claim: Claim, _ facts: PostAttributes, token: SASToken, leftAt: Double
    ) -> InFlight.PostInFlight {
        let about = facts[out.post]
        return InFlight.PostInFlight(
            claim: claim.id, messages: out.post.messages, attempt: about.attempt, expiresAt: about.expiresAt,
            onDoubt: about.onDoubt, token: token, leftAt: leftAt, from: out.from,
            whole: out.post.isPacked ? InFlight.SplittablePost(claim: claim, post: out.post) : nil)
    }

    /// Requests for posts that may leave; a post that no request can be made of ends here.
    private func sign(
        _ portion: [(n: Int, out: Outgoing)], of claim: Claim, token: SASToken
    ) async -> [(n: Int, out: Outgoing, request: Request)] {
        var requests: [(n: Int, out: Outgoing, request: Request)] = []
        for (n, out) in portion {
            do {
                requests.append((n, out, try hub.provider.request(for: out.post, id: claim.post(n), signedBy: token)))
            } catch {
                let refusal = MessageOutcome(.rejected, .notSendable, note: "\(error)")
                await context.recorder.record(
                    left: out.post.messages.map { Completion.Left(claim: claim.id, message: $0, outcome: refusal) })
            }
        }
        return requests
    }

    /// The other messages of posts that somebody cancelled a message of.
    func planAgain(
        _ stopped: [Outgoing], without cancelled: Set<Int64>, of claim: Claim
    ) async -> [Outgoing] {
        var again: [Outgoing] = []
        for out in stopped {
            let stay = Set(out.post.messages).subtracting(cancelled)
            let plan = Plan(
                claim.messages.filter { stay.contains($0.id) }, for: hub.settings, now: context.clock.wall())
            await refuse(plan.refusals, in: claim)
            again += plan.posts.map { Outgoing($0, from: out.from) }
        }
        return again
    }
}
