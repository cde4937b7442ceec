import Concurrency
import HTTPTransport
import PushModel
import Signing
import Store

/// The last step of the way out: written → left, or taken back.
extension Lane {
    /// A post with its number and its request.
    struct Ready: Sendable {
        let n: Int
        let outgoing: Outgoing
        let request: Request
    }

    /// Posts whose intent is committed and that have not left.
    struct Written: Sendable {
        var posts: ArraySlice<Ready>
        let claim: Claim
        let attributes: PostAttributes
        let pass: Pass
        let places: Places
        /// What the gate said before.
        let admission: Gate.Admission
        /// Monotonic seconds: when its intent began to be written.
        let began: Double

        var bytes: Int { posts.reduce(0) { $0 + $1.outgoing.post.bytes } }
    }

    /// Lets leave what has free places now; or takes all back, when nothing may leave any more.
    ///
    /// - Parameter written: afterwards, what waits for its places.
    /// - Returns: how many left.
    func departNow(_ written: inout Written) async -> Int {
        if let obstacle = obstacle(to: written) {
            await takeBack(&written, because: obstacle)
            return 0
        }
        return depart(written.places.leaveNow(written.posts.count), of: &written)
    }

    /// Lets the posts leave as their places become free; takes back what does not leave in time.
    ///
    /// - Returns: how many left.
    func depart(_ written: Written) async -> Int {
        guard !written.posts.isEmpty else { return 0 }
        let bytes = written.bytes
        inFlight.keep(bytes: bytes)
        // One limit for all of them: a timer for each that leaves cost a tenth of the worker's CPU.
        var left = await withTimeLimit(.seconds(WriteAhead.longestWait)) { await departAsPlacesAreFree(written) }
        let sent = written.posts.count - left.posts.count
        if !left.posts.isEmpty {
            let obstacle = obstacle(to: left)
            if obstacle == nil { hub.window.writeAhead(0) }  // until an intent was written again
            await takeBack(&left, because: obstacle ?? "no place was free for this post")
        }
        inFlight.keep(bytes: -bytes)
        return sent
    }

    /// - Returns: those that have not left: something is in their way, or time is up.
    private func departAsPlacesAreFree(_ written: Written) async -> Written {
        var written = written
        while !written.posts.isEmpty {
            let free = await written.places.leave(written.posts.count)
            guard free > 0 else { break }
            guard obstacle(to: written) == nil else {
                hub.window.release(free, answered: 0, lane: Int(priority.rawValue))
                break
            }
            _ = depart(free, of: &written)
        }
        return written
    }

    /// Hands the first of the requests to the transport.
    private func depart(_ count: Int, of written: inout Written) -> Int {
        guard count > 0 else { return 0 }
        let leaving = written.posts.prefix(count)
        written.posts.removeFirst(count)
        let leftAt = context.clock.monotonic()
        let flights = leaving.map { (written.claim.post($0.n), flight(of: $0.outgoing, written, leftAt: leftAt)) }
        for (post, flight) in flights { context.events.report(.departed(post, flight, at: hub)) }
        inFlight.depart(flights)
        channel.submit(leaving.map(\.request))
        return count
    }

    private func flight(of outgoing: Outgoing, _ written: Written, leftAt: Double) -> InFlight.PostInFlight {
        let own = written.attributes[outgoing.post]
        let splittable =
            outgoing.post.isPacked ? InFlight.SplittablePost(claim: written.claim, post: outgoing.post) : nil
        return InFlight.PostInFlight(
            claim: written.claim.id, messages: outgoing.post.messages, bytes: outgoing.post.bytes,
            attempt: own.attempt, expiresAt: own.expiresAt, onDoubt: own.onDoubt,
            due: written.attributes.dueTimes(of: outgoing.post), pass: written.pass,
            leftAt: leftAt, from: outgoing.from, splittable: splittable,
            traces: written.attributes.traces(of: outgoing.post.messages))
    }

    /// Why these posts may not leave any more; nil: they may.
    private func obstacle(to written: Written) -> String? {
        let now = context.clock.monotonic()
        if now - written.began >= context.settings.leaseSeconds / 2 {
            return "the worker stood still before this post left"
        }
        return hub.gate.stillAdmits(written.admission, now: now) ? nil : "the hub closed before this post left"
    }

    /// The intent is committed and these posts do not leave: records that as their answer, and their messages go back
    /// to due if the claim is still ours.
    private func takeBack(_ written: inout Written, because why: String) async {
        var answer = Answer(verdict: .notSent(because: why))
        answer.error = why
        let posts = written.posts
        written.posts = []
        written.places.giveBack()
        guard !posts.isEmpty else { return }
        await context.recorder.record(
            answered: posts.map { post in
                Completion.Answered(
                    post: written.claim.post(post.n), answer: answer,
                    outcome: post.outgoing.unsent ?? .retrying(.notSent, after: 0, cost: 0),
                    messages: post.outgoing.post.messages)
            })
    }
}
