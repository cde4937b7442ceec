import Concurrency
import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// One lane: the messages of one hub in one priority class, from the table to a recorded verdict.
///
/// This file is the whole story. The way out is `work`: claim → plan → intent → post; the last two steps are in
/// Lane+Send.swift and Lane+Depart.swift, and what happens when is decided by `SendQueue`. The way back is `receive`, in Lane+Receive.swift:
/// answer → verdict → record. What was claimed and not posted is in Lane+Return.swift.
///
/// Both ways run side by side, so that the next claim is on its way while the last answers come in. Two tasks share the
/// way out: one claims while the other posts the last of what it has. A worker may have thousands of lanes, and most are
/// quiet: a lane begins when the poller finds something due for it, and rests, without a task, after a quiet minute.
struct Lane: Sendable {
    let number: Int
    let hub: HubContext
    let priority: Priority
    let queue: Queue
    let channel: RequestChannel
    let context: LaneContext
    let inFlight = InFlight()

    /// A post that waits to leave. A class, because it is passed on many times.
    final class Outgoing: Sendable {
        let post: Post
        /// The post of several contents that this one is a part of, if the hub refused that; nil: it is no part.
        let from: Int64?
        /// What becomes of its messages if it does not leave; nil: they are due again at once.
        let unsent: MessageOutcome?

        init(_ post: Post, from: Int64? = nil, unsent: MessageOutcome? = nil) {
            (self.post, self.from, self.unsent) = (post, from, unsent)
        }
    }

    /// A post that was refused and leaves again in parts.
    struct Split: Sendable {
        var claim: Claim
        var parts: [Post]
        var from: Int64
        /// As in `Outgoing`.
        var unsent: MessageOutcome?
    }

    /// Works until the lane is quiet and rests, or until the worker stops; then until every post has its answer.
    ///
    /// - Parameter due: where the poller found something.
    func run(from due: DueCursor) async {
        async let receiving: Void = receive()
        var cursor = ClaimCursor(batch: context.settings.batch)
        cursor.dueCursor = due
        repeat {
            cursor = await workUntilIdle(cursor)
        } while await waitUntilDue(&cursor)
        if context.isRunning { channel.rest() }
        await receiving
        await rest(at: cursor.dueCursor)
    }

    /// Has no task until the poller finds something due.
    func rest(at cursor: DueCursor = DueCursor()) async {
        await context.poller.rest(number, hub: hub, priority: priority, cursor: cursor)
    }

    /// - Returns: false: the worker stops, or nothing was due for a minute and nothing is in flight.
    private func waitUntilDue(_ cursor: inout ClaimCursor) async -> Bool {
        while context.isRunning {
            let wait = await context.poller.waitUntilDue(
                number, hub: hub, priority: priority, cursor: cursor.dueCursor)
            cursor.dueCursor = wait.cursor
            guard wait.isQuiet else { return context.isRunning }
            if inFlight.isEmpty { return false }
        }
        return false
    }

    /// Works until nothing is due, or the hub takes nothing now, and the last post has left.
    private func workUntilIdle(_ cursor: ClaimCursor) async -> ClaimCursor {
        var cursor = cursor
        cursor.begin()
        let cursors = AsyncLock(cursor)
        let slots = AsyncLock(PostingSlot())
        async let first: Void = work(cursors, slots)
        async let second: Void = work(cursors, slots)
        _ = await (first, second)
        return await cursors.take()
    }

    /// Permission to post. Only one claim of a lane is posted at a time: a second one would take places of more urgent
    /// lanes.
    struct PostingSlot: Sendable {}

    /// Claim → plan → intent → post, again and again.
    private func work(_ cursors: AsyncLock<ClaimCursor>, _ slots: AsyncLock<PostingSlot>) async {
        while context.isRunning {
            var cursor = await cursors.take()
            guard !cursor.isAtEnd else { return cursors.pass(cursor) }
            guard let batch = await nextBatch(&cursor) else {
                cursors.pass(cursor)
                continue
            }
            let slot = await slots.take()
            await process(
                batch, onFewLeft: { [cursor] in cursors.pass(cursor) }, onWritten: { slots.pass(slot) })
        }
    }

    /// A claim, and what the gate allowed before it.
    private struct ClaimedBatch {
        var claim: Claim
        var permit: Permit
    }

    /// Claims what is due; waits when the database refuses.
    ///
    /// - Returns: nil: nothing was claimed. The cursor knows whether it is worth trying again.
    private func nextBatch(_ cursor: inout ClaimCursor) async -> ClaimedBatch? {
        do throws(DatabaseError) {
            let batch = try await claim(&cursor)
            cursor.claimed(batch?.claim)
            return batch
        } catch {
            context.events.report(.failed(error, by: .lane(number)))
            cursor.failed(isTooLong: error.is(.queryCancelled))
            if error.is(.serverReplaced) { context.heartbeat.hurry() }  // it ends the worker
            context.log.error(
                "a lane had to stop; trying again", metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
            await context.pause(after: cursor.faults)
        }
        return nil
    }

    /// - Returns: nil when nothing was due or the hub takes nothing now.
    /// - Throws: `DatabaseError` when nothing could be claimed. What was claimed and not completed is found again by
    ///   rescue.
    private func claim(_ cursor: inout ClaimCursor) async throws(DatabaseError) -> ClaimedBatch? {
        let now = context.clock.monotonic()
        guard mayWork else { return nil }
        // A probe that finds nothing to send has shown nothing, and goes back: another lane may have it.
        let permit = hub.gate.permit(now: now, isUrgent: priority == .urgent)
        let isProbe = permit.admission == .probe
        guard permit.admission != .closed else { return nil }
        // Two, so that a probe has another message than the one that was just refused.
        let limit = isProbe ? 2 : hub.appetite(limit: cursor.limit)
        await context.recorder.waitForRoom()

        let isAnywhere = isProbe && hub.gate.isHeld && Bool.random()
        let look =
            isAnywhere ? .anywhere(random: Double.random(in: 0...1)) : cursor.dueCursor.begin(now: now)
        let began = context.clock.monotonic()
        let found = try await queue.claim(
            hub: hub.id, priority: priority, after: look.position, back: look.back, limit: Int32(limit))
        let ended = context.clock.monotonic()
        cursor.dueCursor.claimed(look, seconds: ended - now, at: found?.position)
        guard let claim = found else {
            permit.giveBack()
            context.events.report(.foundNothing(lane: number, began: began, now: ended))
            return nil
        }
        context.events.report(.claimed(claim, at: hub, lane: number, began: began, now: ended))
        inFlight.open(claim.id, now: now)
        guard isProbe else { return ClaimedBatch(claim: claim, permit: permit) }
        let (probe, others) = claim.probe(lastRefusal: hub.gate.lastRefusal)
        await giveBack(others, of: claim)
        return ClaimedBatch(claim: probe, permit: permit)
    }

    /// Plans and posts what was claimed. A push that fails does not throw: it has a verdict.
    ///
    /// - Parameters:
    ///   - onFewLeft: called once, when few posts are left to leave (`areFew`).
    ///   - onWritten: called once, when no intent of it is written any more.
    private func process(
        _ batch: ClaimedBatch, onFewLeft: @escaping @Sendable () -> Void, onWritten: @escaping @Sendable () -> Void
    ) async {
        let claim = batch.claim
        let posts = await plan(claim.messages, in: claim)
        await send(
            posts.map { Outgoing($0) }, of: claim, batch.permit, onFewLeft: onFewLeft, onWritten: onWritten)
        if inFlight.close(claim.id) { await context.recorder.record(finished: [claim.id]) }
    }

    /// Plans messages of a claim. What cannot be sent ends here; what cannot be planned now is given back.
    func plan(_ messages: [Message], in claim: Claim) async -> [Post] {
        let contents = await context.retrying(doing: "read what a campaign says", by: .lane(number)) {
            () async throws(DatabaseError) in try await context.runContents.contents(of: messages, from: queue)
        }
        guard let contents else {
            await giveBack(messages.map(\.id), of: claim)
            return []
        }
        let now = context.clock.monotonic()
        let plan = Plan(
            messages, for: hub.settings, now: now, epoch: context.clock.wall() - now, packsHandles: packsHandles,
            runContents: contents)  // pure
        await refuse(plan.refusals, in: claim)
        return plan.posts
    }

    /// Sends the parts of a refused post.
    func sendParts(_ split: Split) async {
        // Otherwise a worker that dies now leaves two posts of a message without an answer, one of them refused.
        await context.recorder.untilRecorded(split.from)
        let parts = split.parts.map { Outgoing($0, from: split.from, unsent: split.unsent) }
        await send(parts, of: split.claim, .closed)
        if inFlight.close(split.claim.id) { await context.recorder.record(finished: [split.claim.id]) }
    }

    /// Whether the next claim should begin now, so that it is there when the last post has left. A hub with a rate is
    /// slower than any claim: it waits for the last post.
    func areFew(_ posts: Int) -> Bool { hub.rate == 0 && posts <= hub.window.size * 4 }

    var packsHandles: Bool { hub.batchSupport.withLock { $0.packs(now: context.clock.monotonic()) } }

    var mayWork: Bool { context.isRunning && context.heartbeat.isFresh }

    /// Waits for a hub that will open soon.
    ///
    /// - Returns: `closed` when it stays closed for longer than is worth waiting for, or the worker stops.
    func waitForPermit() async -> Permit {
        while mayWork {
            let now = context.clock.monotonic()
            let permit = hub.gate.permit(now: now, isUrgent: priority == .urgent)
            guard permit.admission == .closed else { return permit }
            let seconds = hub.gate.opens(after: now, isUrgent: priority == .urgent)
            guard seconds <= Gate.worthWaiting else { return .closed }
            await Sleep.system(min(max(seconds, 0.001), 0.05))
        }
        return .closed
    }
}
