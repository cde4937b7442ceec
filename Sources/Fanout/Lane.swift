import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// One lane: the messages of one hub in one priority class, from the table to a recorded verdict.
///
/// `work`, in this file, is the way out: claim → plan → intent → post; `land`, in Lane+Landing.swift, is the way back:
/// answer → verdict → record. They run side by side, so that the next claim is on its way while the last answers come in;
/// and two hands do the way out in turn: one claims while the other posts the last of what it has.
struct Lane: Sendable {
    let number: Int
    let hub: ServedHub
    let priority: Priority
    let queue: Queue
    let outlet: Outlet
    let office: Office
    let inFlight = InFlight()

    /// A post as it waits to leave. By reference: it is handed on many times.
    private final class Outgoing: Sendable {
        let post: Post
        /// The post it is a part of, which was refused as a whole.
        let from: Int64?

        init(_ post: Post, from: Int64? = nil) { (self.post, self.from) = (post, from) }
    }

    /// A post that was refused and leaves again in halves.
    struct Split: Sendable {
        var claim: Claim
        var halves: [Post]
        var from: Int64
    }

    /// Works until the office closes, and then until everything that left has come back.
    func run() async {
        let (splits, splitting) = AsyncStream<Split>.makeStream()
        let front = Baton(Front(batch: office.settings.batch))
        let turn = Baton(Turn())
        async let back: Void = land(splitting)
        async let again: Void = sendHalves(splits)
        async let one: Void = work(front, turn)
        async let other: Void = work(front, turn)
        _ = await (one, other, back, again)
    }

    /// Leave to post. One claim of a lane is posted at a time: two would take the places of more urgent lanes.
    private struct Turn: Sendable {}

    /// One hand: claim → plan → intent → post, again and again.
    private func work(_ fronts: Baton<Front>, _ turns: Baton<Turn>) async {
        while office.isOpen {
            var front = await fronts.take()
            guard let taken = await take(&front) else {
                fronts.pass(front)
                continue
            }
            let turn = await turns.take()
            await carry(taken) { [front] in fronts.pass(front) }
            turns.pass(turn)
        }
    }

    /// What a claim brought, and what the gate had said to it.
    private struct Taken {
        var claim: Claim
        var admission: Gate.Admission
    }

    /// Claims what is due; waits when there is nothing, or when the database refuses.
    private func take(_ front: inout Front) async -> Taken? {
        do throws(DatabaseError) {
            let taken = try await claim(&front)
            front.took(taken?.claim)
            guard taken == nil, office.isOpen else { return taken }
            front.walk = await office.scout.due(number, hub: hub, priority: priority, walk: front.walk)
            front.rested()
        } catch {
            front.failed(isTooLong: error.sqlState == "57014")
            office.log.error(
                "a lane had to stop; trying again", metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
            await office.pause(after: front.faults)
        }
        return nil
    }

    /// - Returns: nil when nothing was due or the hub takes nothing now.
    /// - Throws: `DatabaseError` when nothing could be claimed. Whatever was claimed and not completed is found again by
    ///   rescue.
    private func claim(_ front: inout Front) async throws(DatabaseError) -> Taken? {
        let now = office.clock.monotonic()
        guard mayWork else { return nil }
        let admission = hub.gate.admit(now: now)
        guard admission != .closed else { return nil }
        var found: Claim?
        // A probe that found nothing to send has shown nothing: the permission is given back.
        defer { if admission == .probe, found == nil { hub.gate.giveBackProbe() } }
        let limit = admission == .probe ? 1 : hub.appetite(limit: front.limit)
        await office.recorder.room()

        let kind = front.walk.begin(now: now, wall: office.clock.wall())
        found = try await queue.claim(
            hub: hub.id, priority: priority, after: front.walk.mark, limit: Int32(limit))
        front.walk.ended(kind, seconds: office.clock.monotonic() - now, at: found?.mark)
        guard let claim = found else { return nil }
        office.holdings.learn(claim.id)
        inFlight.open(claim.id, now: now)
        return Taken(claim: claim, admission: admission)
    }

    /// Plans and posts what was claimed. A push that fails does not throw: it has a verdict.
    ///
    /// - Parameter onward: called once, when few posts are left to leave (`areFew`).
    private func carry(_ taken: Taken, onward: @escaping @Sendable () -> Void) async {
        let claim = taken.claim
        let plan = Plan(claim.messages, for: hub.settings, now: office.clock.wall())  // pure
        await refuse(plan.refusals, in: claim)
        await send(plan.posts.map { Outgoing($0) }, of: claim, taken.admission, onward: onward)
        if inFlight.close(claim.id) { await office.recorder.record(finished: [claim.id]) }
    }

    /// Posts in portions of what can leave at once; what may not leave any more goes back to due.
    ///
    /// - Parameters:
    ///   - admission: what the gate has said already. A probe is one post: the others wait for what it shows.
    ///   - onward: called once, when few are left, or none.
    private func send(
        _ posts: [Outgoing], of claim: Claim, _ admission: Gate.Admission, onward: (@Sendable () -> Void)? = nil
    ) async {
        var onward = onward
        defer { onward?() }
        let facts = ClaimFacts(claim, onDoubt: hub.settings.onDoubt)
        var waiting = ArraySlice(posts)
        var admission = admission
        // A probe that did not leave, for whatever reason, is another one's.
        defer { if admission == .probe { hub.gate.giveBackProbe() } }
        while !waiting.isEmpty {
            if areFew(waiting.count) {
                onward?()
                onward = nil
            }
            if admission != .probe { admission = await admitted() }
            guard admission != .closed, mayWork else { break }
            let places = await hub.window.take(
                upTo: admission == .probe ? 1 : waiting.count, atLeast: hub.window.size / 4,
                lane: Int(priority.rawValue))
            guard places > 0, mayWork, hub.gate.still(admission, now: office.clock.monotonic()) else {
                hub.window.putBack(places)
                if Task.isCancelled { break }
                if places > 0, admission == .probe {
                    hub.gate.giveBackProbe()
                    admission = .closed
                }
                continue  // turned away, perhaps because the hub has closed: the gate knows
            }
            var next = waiting.prefix(places)
            waiting = waiting.dropFirst(places)
            let now = office.clock.wall()
            if facts.firstEnd <= now {  // a low rate took its time
                let late = next.filter { facts.isLate($0.post, now: now) }
                next.removeAll { facts.isLate($0.post, now: now) }
                waiting = await planAgain(late, without: [], of: claim) + waiting
            }
            let portion = Array(zip(inFlight.number(next.count, of: claim.id), next))
            guard let left = await leave(portion, of: claim, facts) else {
                hub.window.putBack(places)
                return  // rescued: nothing of this claim is ours any more
            }
            if left.sent > 0 { admission = .closed }
            hub.window.putBack(places - left.sent)
            if !left.again.isEmpty { waiting = left.again + waiting }
            if left.isHeld { break }
        }
        await giveBack(waiting.flatMap(\.post.messages), of: claim)
    }

    /// Halves of posts that were refused, until nothing more comes back.
    private func sendHalves(_ splits: AsyncStream<Split>) async {
        for await split in splits {
            let halves = split.halves.map { Outgoing($0, from: split.from) }
            await send(halves, of: split.claim, .closed)
            if inFlight.close(split.claim.id) { await office.recorder.record(finished: [split.claim.id]) }
        }
    }

    /// Intent, committed before the first byte leaves; then the bytes.
    ///
    /// - Returns: how many posts left; posts planned anew because somebody cancelled one of their messages; and whether
    ///   another session holds the claim, so that nothing more of it may leave now. nil when the claim is not ours any more.
    private func leave(
        _ portion: [(n: Int, out: Outgoing)], of claim: Claim, _ facts: ClaimFacts
    ) async -> (sent: Int, again: [Outgoing], isHeld: Bool)? {
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
            await withdraw(requests.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            if office.isOpen { await office.pause(after: 1) }
            return (0, [], false)
        }
        guard let intent else {
            office.log.warning("a claim was rescued before it was posted", metadata: ["claim": "\(claim.id)"])
            return nil
        }
        if intent.isHeld {
            office.log.warning(
                "another session holds a claim of ours; its messages go back to due when that ends",
                metadata: ["claim": "\(claim.id)", "hub": "\(hub.settings.name)"])
            // This time nothing was written; a time before, whose answer was lost, it may have been.
            await withdraw(requests.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            return (0, [], true)
        }
        let leaving = requests.filter { intent.written.contains($0.n) }
        let stopped = requests.filter { !intent.written.contains($0.n) }
        guard office.clock.monotonic() - began < office.settings.leaseSeconds / 2 else {
            await recall(leaving.map { (claim.post($0.n), $0.out.post.messages) }, of: claim)
            await giveBack(stopped.flatMap(\.out.post.messages), of: claim)
            return (0, [], false)
        }
        let leftAt = office.clock.monotonic()
        inFlight.depart(
            leaving.map { (claim.post($0.n), flight(of: $0.out, claim, facts, token: token, leftAt: leftAt)) })
        outlet.submit(leaving.map(\.request))
        return (leaving.count, await planAgain(stopped.map(\.out), without: intent.cancelled, of: claim), false)
    }

    private func flight(
        of out: Outgoing, _ claim: Claim, _ facts: ClaimFacts, token: SASToken, leftAt: Double
    ) -> InFlight.Flight {
        let about = facts[out.post]
        return InFlight.Flight(
            claim: claim.id, messages: out.post.messages, attempt: about.attempt, expiresAt: about.expiresAt,
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
            again += plan.posts.map { Outgoing($0, from: out.from) }
        }
        return again
    }

    /// So few posts are left that the next claim is on time if it begins now. A hub with a rate is slower than any claim:
    /// there it waits for the last.
    private func areFew(_ posts: Int) -> Bool { hub.rate == 0 && posts <= hub.window.size * 4 }

    private var mayWork: Bool { office.isOpen && office.pulse.isFresh }

    /// Waits for a hub that will open soon.
    ///
    /// - Returns: `closed` when it stays closed for longer than is worth waiting for; `probe`, which the caller uses or
    ///   gives back, when one post may leave.
    private func admitted() async -> Gate.Admission {
        while mayWork {
            let now = office.clock.monotonic()
            let admission = hub.gate.admit(now: now)
            guard admission == .closed else { return admission }
            let seconds = hub.gate.opens(after: now)
            guard seconds <= Gate.worthWaiting else { return .closed }
            // Ends early only by cancellation; the loop goes by the gate and the office.
            try? await Task.sleep(for: .seconds(min(max(seconds, 0.001), 0.05)))
        }
        return .closed
    }
}
