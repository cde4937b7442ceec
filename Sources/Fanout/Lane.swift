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

    /// A post as it waits to leave.
    private struct Outgoing {
        var post: Post
        /// The post it is a part of, which was refused as a whole.
        var from: Int64?
    }

    /// A post that was refused and leaves again in halves.
    private struct Split: Sendable {
        var claim: Claim
        var halves: [Post]
        var from: Int64
    }

    /// Works until the office closes, and then until everything that left has come back.
    func run() async {
        let (splits, splitting) = AsyncStream<Split>.makeStream()
        async let back: Void = land(splitting)
        async let again: Void = sendHalves(splits)
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
        await again
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
        let limit = isProbe ? 1 : hub.appetite(limit: office.settings.batch)
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
        probed = await send(plan.posts.map { Outgoing(post: $0) }, of: claim, isProbe: isProbe) > 0
        if inFlight.close(claim.id) { await office.recorder.record(finished: [claim.id]) }
        return claim.messages.count
    }

    /// Posts in portions of what can leave at once; what may not leave any more goes back to due.
    ///
    /// - Returns: how many posts left.
    private func send(_ posts: [Outgoing], of claim: Claim, isProbe: Bool) async -> Int {
        let facts = ClaimFacts(claim, onDoubt: hub.settings.onDoubt)
        var waiting = ArraySlice(posts)
        var sent = 0
        while !waiting.isEmpty, await stays(isProbe) {
            let places = await hub.window.take(
                upTo: waiting.count, atLeast: hub.window.size / 4, lane: Int(priority.rawValue))
            guard places > 0, mayLeave(isProbe) else {
                hub.window.putBack(places)
                if Task.isCancelled { break }
                continue  // turned away, perhaps because the hub has closed: `stays` knows
            }
            let now = office.clock.wall()
            let late = waiting.prefix(places).filter { facts.isLate($0.post, now: now) }  // a low rate took its time
            let next = waiting.prefix(places).filter { !facts.isLate($0.post, now: now) }
            waiting = waiting.dropFirst(places)
            if !late.isEmpty { waiting = await planAgain(late, without: [], of: claim) + waiting }
            let portion = Array(zip(inFlight.number(next.count, of: claim.id), next))
            guard let left = await leave(portion, of: claim, facts) else {
                hub.window.putBack(places)
                return sent  // rescued: nothing of this claim is ours any more
            }
            sent += left.sent
            hub.window.putBack(places - left.sent)
            waiting = ArraySlice(left.again) + waiting
        }
        await giveBack(waiting.flatMap(\.post.messages), of: claim)
        return sent
    }

    /// Halves of posts that were refused, until nothing more comes back.
    private func sendHalves(_ splits: AsyncStream<Split>) async {
        for await split in splits {
            let halves = split.halves.map { Outgoing(post: $0, from: split.from) }
            _ = await send(halves, of: split.claim, isProbe: false)
            if inFlight.close(split.claim.id) { await office.recorder.record(finished: [split.claim.id]) }
        }
    }

    /// Intent, committed before the first byte leaves; then the bytes.
    ///
    /// - Returns: how many posts left, and posts planned anew because somebody cancelled one of their messages; nil when
    ///   the claim is not ours any more.
    private func leave(
        _ portion: [(n: Int, out: Outgoing)], of claim: Claim, _ facts: ClaimFacts
    ) async -> (sent: Int, again: [Outgoing])? {
        let token = hub.tokens.token()
        let requests = await sign(portion, of: claim, token: token)
        let began = office.clock.monotonic()
        guard
            let intent = await office.insist(
                doing: "write what is about to be posted",
                {
                    () async throws(DatabaseError) in
                    try await queue.intend(requests.map { ($0.n, $0.out.post) }[...], under: claim.id)
                })
        else {
            await giveBack(requests.flatMap(\.out.post.messages), of: claim)
            if office.isOpen { await office.pause(after: 1) }
            return (0, [])
        }
        guard let intent else {
            office.log.warning("a claim was rescued before it was posted", metadata: ["claim": "\(claim.id)"])
            return nil
        }
        let leaving = requests.filter { intent.written.contains($0.n) }
        let stopped = requests.filter { !intent.written.contains($0.n) }
        guard office.clock.monotonic() - began < office.settings.leaseSeconds / 2 else {
            await recall(leaving.map { (claim.post($0.n), $0.out.post.messages.count) }, of: claim)
            await giveBack(stopped.flatMap(\.out.post.messages), of: claim)
            return (0, [])
        }
        let leftAt = office.clock.monotonic()
        inFlight.depart(
            leaving.map { (claim.post($0.n), flight(of: $0.out, claim, facts, token: token, leftAt: leftAt)) })
        outlet.submit(leaving.map(\.request))
        return (leaving.count, await planAgain(stopped.map(\.out), without: intent.cancelled, of: claim))
    }

    private func flight(
        of out: Outgoing, _ claim: Claim, _ facts: ClaimFacts, token: SASToken, leftAt: Double
    ) -> InFlight.Flight {
        let about = facts[out.post]
        return InFlight.Flight(
            claim: claim.id, messages: out.post.messages.count, attempt: about.attempt, expiresAt: about.expiresAt,
            onDoubt: about.onDoubt, token: token, leftAt: leftAt, from: out.from,
            whole: out.post.isPacked ? InFlight.Whole(claim: claim, post: out.post) : nil)
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
                let refusal = Outcome(.rejected, .notSendable, note: "\(error)")
                await office.recorder.record(
                    left: out.post.messages.map { Completion.Left(claim: claim.id, message: $0, outcome: refusal) })
            }
        }
        return requests
    }

    /// The other messages of posts that somebody cancelled a message of.
    private func planAgain(
        _ stopped: [Outgoing], without cancelled: Set<Int64>, of claim: Claim
    ) async -> [Outgoing] {
        var again: [Outgoing] = []
        for out in stopped {
            let stay = Set(out.post.messages).subtracting(cancelled)
            let plan = Plan(
                claim.messages.filter { stay.contains($0.id) }, for: hub.settings, now: office.clock.wall())
            await refuse(plan.refusals, in: claim)
            again += plan.posts.map { Outgoing(post: $0, from: out.from) }
        }
        return again
    }

    private func mayLeave(_ isProbe: Bool) -> Bool {
        office.isOpen && office.pulse.isFresh && (isProbe || hub.gate.isOpen(now: office.clock.monotonic()))
    }

    /// Waits for a hub that will open soon.
    ///
    /// - Returns: whether posts may leave; false when the hub stays closed for longer than is worth waiting for.
    private func stays(_ isProbe: Bool) async -> Bool {
        while !mayLeave(isProbe) {
            let seconds = hub.gate.opens(after: office.clock.monotonic())
            guard office.isOpen, office.pulse.isFresh, seconds <= Gate.worthWaiting else { return false }
            // Ends early only by cancellation; the loop goes by the gate and the office.
            try? await Task.sleep(for: .seconds(min(max(seconds, 0.001), 0.05)))
        }
        return true
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
    private func recall(_ posts: [(id: Int64, messages: Int)], of claim: Claim) async {
        let answer = Answer(verdict: .notSent(because: "the worker stood still before this post left"))
        let outcome = Outcome.retrying(.notSent, after: 0, cost: 0)
        await office.recorder.record(
            answered: posts.map {
                Completion.Answered(post: $0.id, answer: answer, outcome: outcome, messages: $0.messages)
            })
    }

    // MARK: - The way back

    /// Answers → verdicts → records, until the transport has nothing more for this lane.
    private func land(_ splitting: AsyncStream<Split>.Continuation) async {
        while true {
            let replies = await outlet.replies()
            if replies.isEmpty { return splitting.finish() }
            let now = office.clock.monotonic()
            var answered: [Completion.Answered] = []
            var finished: [Int64] = []
            var effects: [(effect: Settlement.Effect, flight: InFlight.Flight)] = []
            var splits: [Split] = []
            for reply in replies {
                guard let flight = inFlight.arrive(reply.id) else { continue }
                let answer = hub.provider.answer(to: reply)
                let settlement = Settlement(answer.verdict, facts(of: flight), office.settings)
                let split = split(flight, reply.id, after: settlement)
                if let split { splits.append(split) }
                answered.append(
                    Completion.Answered(
                        post: reply.id, answer: answer, outcome: split == nil ? settlement.outcome : nil,
                        messages: flight.messages))
                if inFlight.landed(flight.claim, again: split != nil) { finished.append(flight.claim) }
                effects.append((settlement.effect, flight))
            }
            await office.recorder.record(answered: answered, finished: finished)
            for (effect, flight) in effects {
                await office.apply(effect, to: hub, token: flight.token, leftAt: flight.leftAt)
            }
            look(at: replies, now: now)
            let came = answered.filter { $0.answer.status != nil }
            hub.pace.answered(came.count, messages: came.reduce(0) { $0 + $1.messages }, now: now)
            hub.window.giveBack(replies.count, answered: came.count)
            for split in splits { splitting.yield(split) }
        }
    }

    /// A refused post that holds several contents says nothing about any of them: it leaves again in halves, and only a
    /// single content is final.
    private func split(_ flight: InFlight.Flight, _ post: Int64, after settlement: Settlement) -> Split? {
        guard settlement.mayBeSplit, let whole = flight.whole, let (one, other) = whole.post.halves() else {
            return nil
        }
        return Split(claim: whole.claim, halves: [one, other], from: post)
    }

    /// Our clock against the hub's, once a minute: a clock that is wrong signs tokens that are refused.
    private func look(at replies: [Reply], now: Double) {
        guard hub.skew.isDue(now: now), let seconds = replies.lazy.compactMap(hub.provider.skew).first else { return }
        hub.skew.found(seconds, now: now)
        guard abs(seconds) > Skew.tolerated else { return }
        office.log.warning(
            "our clock and the hub's differ; set this machine's clock by NTP",
            metadata: ["hub": "\(hub.settings.name)", "ahead_seconds": "\(Int(seconds))"])
    }

    private func facts(of flight: InFlight.Flight) -> Settlement.Facts {
        Settlement.Facts(
            attempt: flight.attempt, expiresAt: flight.expiresAt, onDoubt: flight.onDoubt, from: flight.from,
            othersSucceed: hub.gate.read { $0.workedAt > flight.leftAt - 1 }, now: office.clock.wall(),
            random: Double.random(in: 0...1))
    }
}
