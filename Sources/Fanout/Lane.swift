import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// One lane: the messages of one hub in one priority class, from the table to a recorded verdict.
///
/// This file is the whole story. `turn` is the way out: claim → plan → intent → post; `land` is the way back: answer →
/// verdict → record. They run side by side, so that the next claim is on its way while the last answers come in.
struct Lane: Sendable {
    let number: Int
    let hub: ServedHub
    let priority: Priority
    let queue: Queue
    let outlet: Outlet
    let office: Office
    let inFlight = InFlight()

    /// Works until the office closes, and then until everything that left has come back.
    func run() async {
        async let back: Void = land()
        var walk = Walk()
        var faults = 0
        while office.isOpen {
            do {
                guard try await turn(&walk) == 0, office.isOpen else { continue }
                walk = await office.scout.due(number, hub: hub, priority: priority, walk: walk)
                faults = 0
            } catch {
                faults += 1
                office.log.error(
                    "a lane had to stop; trying again",
                    metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
                await office.pause(after: faults)
            }
        }
        await back
    }

    // MARK: - The way out

    /// One turn: claim → plan → intent → post.
    ///
    /// - Returns: the number of messages claimed; 0 when nothing was due or the hub takes nothing now.
    /// - Throws: `DatabaseError` when nothing could be claimed. A push that fails does not throw: it has a verdict.
    ///   Whatever was claimed and not completed is found again by rescue.
    func turn(_ walk: inout Walk) async throws(DatabaseError) -> Int {
        let now = office.clock.monotonic()
        guard office.pulse.isFresh else { return 0 }
        let admission = hub.gate.admit(now: now)
        guard admission != .closed else { return 0 }
        let isProbe = admission == .probe
        var probed = false
        // A probe that found nothing to send has shown nothing: the permission is given back.
        defer { if isProbe, !probed { hub.gate.probe() } }
        let limit = isProbe ? 1 : hub.pace.appetite(limit: office.settings.batch)
        await office.recorder.room()

        let kind = walk.begin(now: now, wall: office.clock.wall())
        let claimed = try await queue.claim(
            hub: hub.id, priority: priority, after: walk.mark, limit: Int32(limit))
        walk.ended(kind, seconds: office.clock.monotonic() - now, at: claimed?.mark)
        guard let claim = claimed else { return 0 }
        office.holdings.learn(claim.id)
        inFlight.open(claim.id)

        let plan = Plan(claim.messages, for: hub.settings, now: office.clock.wall())  // pure
        await refuse(plan.refusals, in: claim)
        probed = await send(plan.posts, of: claim, isProbe: isProbe) > 0
        if inFlight.close(claim.id) { await office.recorder.record(finished: [claim.id]) }
        return claim.messages.count
    }

    /// Posts in portions of what can leave at once; what may not leave any more goes back to due.
    ///
    /// - Returns: how many posts left.
    private func send(_ posts: [Post], of claim: Claim, isProbe: Bool) async -> Int {
        let facts = ClaimFacts(claim)
        var waiting = ArraySlice(posts)
        var number = 0
        var sent = 0
        while !waiting.isEmpty, mayLeave(isProbe) {
            let places = await hub.window.take(upTo: waiting.count, atLeast: hub.window.size / 4)
            guard places > 0, mayLeave(isProbe) else {
                hub.window.giveBack(places, answered: 0)
                break
            }
            let portion = waiting.prefix(places).map { post in
                number += 1
                return (n: number, post: post)
            }
            waiting = waiting.dropFirst(places)
            guard let left = await leave(portion[...], of: claim, facts) else {
                hub.window.giveBack(places, answered: 0)
                return sent  // rescued: nothing of this claim is ours any more
            }
            sent += left.sent
            hub.window.giveBack(places - left.sent, answered: 0)
            waiting = ArraySlice(left.again) + waiting
        }
        await giveBack(waiting.flatMap(\.messages), of: claim)
        return sent
    }

    /// Intent, committed before the first byte leaves; then the bytes.
    ///
    /// - Returns: how many posts left, and posts planned anew because somebody cancelled one of their messages; nil when
    ///   the claim is not ours any more.
    private func leave(
        _ portion: ArraySlice<(n: Int, post: Post)>, of claim: Claim, _ facts: ClaimFacts
    ) async -> (sent: Int, again: [Post])? {
        let token = hub.tokens.token()
        let requests = await sign(portion, of: claim, token: token)
        let began = office.clock.monotonic()
        guard
            let intent = await office.insist(
                doing: "write what is about to be posted",
                {
                    () async throws(DatabaseError) in
                    try await queue.intend(requests.map { ($0.n, $0.post) }[...], under: claim.id)
                })
        else {
            await giveBack(requests.flatMap(\.post.messages), of: claim)
            if office.isOpen { await office.pause(after: 1) }
            return (0, [])
        }
        guard let intent else {
            office.log.warning("a claim was rescued before it was posted", metadata: ["claim": "\(claim.id)"])
            return nil
        }
        let leaving = requests.filter { intent.written.contains($0.n) }
        guard office.clock.monotonic() - began < office.settings.leaseSeconds / 2 else {
            await recall(leaving.map { claim.post($0.n) }, of: claim)
            await giveBack(requests.filter { !intent.written.contains($0.n) }.flatMap(\.post.messages), of: claim)
            return (0, [])
        }
        let leftAt = office.clock.monotonic()
        inFlight.depart(
            leaving.map { post in
                let about = facts[post.post]
                return (
                    claim.post(post.n),
                    InFlight.Flight(
                        claim: claim.id, attempt: about.attempt, expiresAt: about.expiresAt,
                        onDoubt: about.onDoubt ?? hub.settings.onDoubt, token: token, leftAt: leftAt)
                )
            })
        outlet.submit(leaving.map(\.request))
        guard leaving.count < requests.count else { return (leaving.count, []) }
        return (
            leaving.count,
            await planAgain(without: intent.cancelled, of: claim, requests.filter { !intent.written.contains($0.n) })
        )
    }

    /// Requests for posts that may leave; a post that no request can be made of ends here.
    private func sign(
        _ portion: ArraySlice<(n: Int, post: Post)>, of claim: Claim, token: SASToken
    ) async -> [(n: Int, post: Post, request: Request)] {
        var requests: [(n: Int, post: Post, request: Request)] = []
        for (n, post) in portion {
            do {
                requests.append((n, post, try hub.provider.request(for: post, id: claim.post(n), signedBy: token)))
            } catch {
                let refusal = Outcome(.rejected, .notSendable, note: "\(error)")
                await office.recorder.record(
                    left: post.messages.map { Completion.Left(claim: claim.id, message: $0, outcome: refusal) })
            }
        }
        return requests
    }

    /// The other messages of posts that somebody cancelled a message of.
    private func planAgain(
        without cancelled: Set<Int64>, of claim: Claim, _ posts: [(n: Int, post: Post, request: Request)]
    ) async -> [Post] {
        let stay = Set(posts.flatMap(\.post.messages)).subtracting(cancelled)
        let messages = claim.messages.filter { stay.contains($0.id) }
        let plan = Plan(messages, for: hub.settings, now: office.clock.wall())
        await refuse(plan.refusals, in: claim)
        return plan.posts
    }

    private func mayLeave(_ isProbe: Bool) -> Bool {
        office.isOpen && office.pulse.isFresh && (isProbe || hub.gate.isOpen(now: office.clock.monotonic()))
    }

    private func refuse(_ refusals: [Refusal], in claim: Claim) async {
        guard !refusals.isEmpty else { return }
        await office.recorder.record(
            left: refusals.map {
                let outcome = Outcome($0.status, $0.reason, note: $0.text)
                return Completion.Left(claim: claim.id, message: $0.message, outcome: outcome)
            })
    }

    /// Not sent and not to be sent by us now: due again at once, for whoever may.
    private func giveBack(_ messages: [Int64], of claim: Claim) async {
        guard !messages.isEmpty else { return }
        let reason: Reason = office.isOpen ? .hubClosed : .released
        let outcome = Outcome.retrying(reason, after: 0, cost: 0)
        await office.recorder.record(
            left: messages.map { Completion.Left(claim: claim.id, message: $0, outcome: outcome) })
    }

    /// Posts that were written down and did not leave because we stood still too long in between. If the claim is still
    /// ours they go back to due.
    private func recall(_ posts: [Int64], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "the worker stood still before this post left"))
        let outcome = Outcome.retrying(.notSent, after: 0, cost: 0)
        await office.recorder.record(
            answered: posts.map { Completion.Answered(post: $0, answer: answer, outcome: outcome) })
    }

    // MARK: - The way back

    /// Answers → verdicts → records, until the transport has nothing more for this lane.
    private func land() async {
        while true {
            let replies = await outlet.replies()
            if replies.isEmpty { return }
            let now = office.clock.monotonic()
            var answered: [Completion.Answered] = []
            var finished: [Int64] = []
            var effects: [(effect: Settlement.Effect, flight: InFlight.Flight)] = []
            for reply in replies {
                guard let (flight, ended) = inFlight.arrive(reply.id) else { continue }
                let answer = hub.provider.answer(to: reply)
                let settlement = Settlement(answer.verdict, facts(of: flight), office.settings)
                answered.append(
                    Completion.Answered(post: reply.id, answer: answer, outcome: settlement.outcome))
                if ended { finished.append(flight.claim) }
                effects.append((settlement.effect, flight))
            }
            await office.recorder.record(answered: answered, finished: finished)
            for (effect, flight) in effects {
                await office.apply(effect, to: hub, token: flight.token, leftAt: flight.leftAt)
            }
            let came = answered.count { $0.answer.status != nil }
            hub.pace.answered(came, now: now)
            hub.window.giveBack(replies.count, answered: came)
        }
    }

    private func facts(of flight: InFlight.Flight) -> Settlement.Facts {
        Settlement.Facts(
            attempt: flight.attempt, expiresAt: flight.expiresAt, onDoubt: flight.onDoubt,
            othersSucceed: hub.gate.read { $0.workedAt > flight.leftAt - 1 }, now: office.clock.wall(),
            random: Double.random(in: 0...1))
    }
}
