import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// One lane: the messages of one hub in one priority class, from the table to a recorded verdict.
///
/// `work`, in this file, is the way out: claim → plan → intent → post, of which the last two are in Lane+Leaving.swift;
/// `land`, in Lane+Landing.swift, is the way back: answer → verdict → record. They run side by side, so that the next claim is on its way while the last answers come in;
/// and two hands do the way out in turn: one claims while the other posts the last of what it has.
struct Lane: Sendable {
    let number: Int
    let hub: HubContext
    let priority: Priority
    let queue: Queue
    let channel: RequestChannel
    let context: LaneContext
    let inFlight = InFlight()

    /// A post as it waits to leave. By reference: it is handed on many times.
    final class Outgoing: Sendable {
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
        let front = AsyncLock(ClaimCursor(batch: context.settings.batch))
        let turn = AsyncLock(PostingSlot())
        async let back: Void = land(splitting)
        async let again: Void = sendHalves(splits)
        async let one: Void = work(front, turn)
        async let other: Void = work(front, turn)
        _ = await (one, other, back, again)
    }

    /// Leave to post. One claim of a lane is posted at a time: two would take the places of more urgent lanes.
    private struct PostingSlot: Sendable {}

    /// One hand: claim → plan → intent → post, again and again.
    private func work(_ fronts: AsyncLock<ClaimCursor>, _ turns: AsyncLock<PostingSlot>) async {
        while context.isOpen {
            var front = await fronts.take()
            guard let taken = await take(&front) else {
                fronts.pass(front)
                continue
            }
            let turn = await turns.take()
            await process(taken) { [front] in fronts.pass(front) }
            turns.pass(turn)
        }
    }

    /// What a claim brought, and what the gate had said to it.
    private struct ClaimedBatch {
        var claim: Claim
        var admission: Gate.Admission
    }

    /// Claims what is due; waits when there is nothing, or when the database refuses.
    private func take(_ front: inout ClaimCursor) async -> ClaimedBatch? {
        do throws(DatabaseError) {
            let taken = try await claim(&front)
            front.took(taken?.claim)
            guard taken == nil, context.isOpen else { return taken }
            front.walk = await context.poller.due(number, hub: hub, priority: priority, walk: front.walk)
            front.rested()
        } catch {
            front.failed(isTooLong: error.sqlState == "57014")
            context.log.error(
                "a lane had to stop; trying again", metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
            await context.pause(after: front.faults)
        }
        return nil
    }

    /// - Returns: nil when nothing was due or the hub takes nothing now.
    /// - Throws: `DatabaseError` when nothing could be claimed. Whatever was claimed and not completed is found again by
    ///   rescue.
    private func claim(_ front: inout ClaimCursor) async throws(DatabaseError) -> ClaimedBatch? {
        let now = context.clock.monotonic()
        guard mayWork else { return nil }
        let admission = hub.gate.admit(now: now)
        guard admission != .closed else { return nil }
        var found: Claim?
        // A probe that found nothing to send has shown nothing: the permission is given back.
        defer { if admission == .probe, found == nil { hub.gate.giveBackProbe() } }
        let limit = admission == .probe ? 1 : hub.appetite(limit: front.limit)
        await context.recorder.room()

        let kind = front.walk.begin(now: now, wall: context.clock.wall())
        found = try await queue.claim(
            hub: hub.id, priority: priority, after: front.walk.mark, limit: Int32(limit))
        front.walk.ended(kind, seconds: context.clock.monotonic() - now, at: found?.mark)
        guard let claim = found else { return nil }
        context.ownClaims.learn(claim.id)
        inFlight.open(claim.id, now: now)
        return ClaimedBatch(claim: claim, admission: admission)
    }

    /// Plans and posts what was claimed. A push that fails does not throw: it has a verdict.
    ///
    /// - Parameter onward: called once, when few posts are left to leave (`areFew`).
    private func process(_ taken: ClaimedBatch, onFewLeft: @escaping @Sendable () -> Void) async {
        let claim = taken.claim
        let plan = Plan(claim.messages, for: hub.settings, now: context.clock.wall())  // pure
        await refuse(plan.refusals, in: claim)
        await send(plan.posts.map { Outgoing($0) }, of: claim, taken.admission, onFewLeft: onFewLeft)
        if inFlight.close(claim.id) { await context.recorder.record(finished: [claim.id]) }
    }

    /// Posts in portions of what can leave at once; what may not leave any more goes back to due.
    ///
    /// Two portions are written down at a time: else nothing is, while the answer of the database is on its way (a
    /// quarter of two processors stood idle).
    ///
    /// - Parameters:
    ///   - admission: what the gate has said already. A probe is one post: the others wait for what it shows.
    ///   - onward: called once, when few are left, or none.
    private func send(
        _ posts: [Outgoing], of claim: Claim, _ admission: Gate.Admission, onFewLeft: (@Sendable () -> Void)? = nil
    ) async {
        let facts = PostAttributes(claim, onDoubt: hub.settings.onDoubt)
        await withTaskGroup(of: SendResult.self) { group in
            var onFewLeft = onFewLeft
            var waiting = ArraySlice(posts)
            var admission = admission
            var underWay = 0
            var isOver = false
            var isRescued = false
            func settle(_ departure: SendResult) {
                underWay -= 1
                if !departure.again.isEmpty { waiting = departure.again + waiting }
                if departure.isHeld || departure.isRescued { isOver = true }
                if departure.isRescued { isRescued = true }
            }
            while !isOver {
                if waiting.isEmpty || underWay == IntentBatch.atOnce || (underWay > 0 && admission == .probe) {
                    guard let departure = await group.next() else { break }
                    settle(departure)
                    continue
                }
                if areFew(waiting.count) {
                    onFewLeft?()
                    onFewLeft = nil
                }
                if admission != .probe { admission = await admitted() }
                guard admission != .closed, mayWork else { break }
                guard admission != .probe || underWay == 0 else { continue }
                let portion = IntentBatch(of: hub.window.size)
                let places = await hub.window.take(
                    upTo: admission == .probe ? 1 : min(waiting.count, portion.most), atLeast: portion.least,
                    lane: Int(priority.rawValue))
                guard places > 0, mayWork, hub.gate.still(admission, now: context.clock.monotonic()) else {
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
                let now = context.clock.wall()
                if facts.firstEnd <= now {  // a low rate took its time
                    let late = next.filter { facts.isLate($0.post, now: now) }
                    next.removeAll { facts.isLate($0.post, now: now) }
                    waiting = await planAgain(late, without: [], of: claim) + waiting
                }
                let leaving = Array(zip(inFlight.number(next.count, of: claim.id), next))
                underWay += 1
                if admission == .probe {
                    let departure = await leave(leaving, of: claim, facts)
                    hub.window.putBack(places - departure.sent)
                    settle(departure)
                    if departure.sent > 0 { admission = .closed }
                } else {
                    group.addTask {
                        let departure = await leave(leaving, of: claim, facts)
                        // At once: it may be the next portion that waits for them.
                        hub.window.putBack(places - departure.sent)
                        return departure
                    }
                }
            }
            while let departure = await group.next() { settle(departure) }
            // A probe that did not leave, for whatever reason, is another one's.
            if admission == .probe { hub.gate.giveBackProbe() }
            // Rescued: nothing of this claim is ours any more.
            if !isRescued { await giveBack(waiting.flatMap(\.post.messages), of: claim) }
            onFewLeft?()
        }
    }

    /// Halves of posts that were refused, until nothing more comes back.
    private func sendHalves(_ splits: AsyncStream<Split>) async {
        for await split in splits {
            let halves = split.halves.map { Outgoing($0, from: split.from) }
            await send(halves, of: split.claim, .closed)
            if inFlight.close(split.claim.id) { await context.recorder.record(finished: [split.claim.id]) }
        }
    }

    /// So few posts are left that the next claim is on time if it begins now. A hub with a rate is slower than any claim:
    /// there it waits for the last.
    private func areFew(_ posts: Int) -> Bool { hub.rate == 0 && posts <= hub.window.size * 4 }

    private var mayWork: Bool { context.isOpen && context.heartbeat.isFresh }

    /// Waits for a hub that will open soon.
    ///
    /// - Returns: `closed` when it stays closed for longer than is worth waiting for; `probe`, which the caller uses or
    ///   gives back, when one post may leave.
    private func admitted() async -> Gate.Admission {
        while mayWork {
            let now = context.clock.monotonic()
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
