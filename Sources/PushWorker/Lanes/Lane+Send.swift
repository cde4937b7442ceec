import Concurrency
import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store

/// The last steps of the way out: intent → post.
extension Lane {
    /// What became of one batch.
    struct SendResult: Sendable {
        /// Posts that left.
        var sent = 0
        /// The batch is a probe.
        var isProbe = false
        /// Some are written and wait for their places to be free.
        var waits = false
        /// Posts planned anew, because one of their messages was cancelled.
        var replanned: [Outgoing] = []
        /// Another session holds the claim: no more of it may leave now.
        var isHeld = false
        /// The claim is not ours any more.
        var isRescued = false
    }

    /// What a task of `send` has done.
    private enum Step: Sendable {
        case intent(SendResult)
        /// What waited for its places has left, or was taken back.
        case departure
    }

    /// Posts in batches of what can leave soon. What may not leave any more goes back to due.
    ///
    /// - Parameters:
    ///   - permit: the gate's answer before the claim.
    ///   - onFewLeft: called once, when few posts are left, or none.
    ///   - onWritten: called once, when no intent of these posts is written any more.
    func send(
        _ posts: [Outgoing], of claim: Claim, _ permit: Permit, onFewLeft: (@Sendable () -> Void)? = nil,
        onWritten: (@Sendable () -> Void)? = nil
    ) async {
        let attributes = PostAttributes(claim, onDoubt: hub.settings.onDoubt)
        var queue = SendQueue(posts, permit.admission)
        var permit = permit
        let steps = Mailbox<Step>()
        await withDiscardingTaskGroup { group in
            while let action = queue.next(
                window: hub.window.size, room: InFlight.mostBytes - inFlight.bytes, areFew: areFew)
            {
                switch action {
                case .sayFewLeft: onFewLeft?()
                case .sayWritten: onWritten?()
                case .askGate:
                    permit = await waitForPermit()
                    queue.admitted(permit.admission)
                case .awaitRoom:
                    await Sleep.system(0.005)
                    if Task.isCancelled || !mayWork { queue.stop() }
                case .takePlaces(let most, let least):
                    let places = await hub.window.places(upTo: most, atLeast: least, lane: Int(priority.rawValue))
                    let isStillAdmitted =
                        mayWork && hub.gate.stillAdmits(queue.admission, now: context.clock.monotonic())
                    let granted = queue.granted(places.count, isStillAdmitted: isStillAdmitted) {
                        Int.random(in: 0..<$0)
                    }
                    if queue.admission != .probe { permit.giveBack() }
                    if Task.isCancelled || !mayWork { queue.stop() }
                    let batch = await number(granted, of: claim, attributes, &queue)
                    guard !batch.isEmpty else { continue }
                    queue.began()
                    let admission = queue.admission
                    group.addTask {
                        let (result, waiting) = await post(batch, of: claim, attributes, in: places, admission)
                        steps.post(.intent(result))
                        guard let waiting else { return }
                        _ = await depart(waiting)
                        steps.post(.departure)
                    }
                case .awaitPosts:
                    switch await steps.next() {
                    case .intent(let result):
                        if result.isProbe, result.sent > 0 { permit.use() }
                        queue.settled(result)
                    case .departure: queue.departed()
                    }
                }
            }
        }
        permit.giveBack()
        if !queue.isRescued { await giveBack(queue.waiting, of: claim) }
    }

    /// Numbers for the posts that may leave now. Posts with an expired message are planned again first: with a low rate,
    /// waiting for places takes long.
    private func number(
        _ posts: [Outgoing], of claim: Claim, _ attributes: PostAttributes, _ queue: inout SendQueue
    ) async -> [(n: Int, outgoing: Outgoing)] {
        var next = posts
        let now = context.clock.monotonic()
        if attributes.firstExpiry <= now {
            let late = next.filter { attributes.isLate($0.post, now: now) }
            next.removeAll { attributes.isLate($0.post, now: now) }
            queue.putBack(await planAgain(late, without: [], of: claim))
        }
        let numbers = inFlight.number(next.count, of: claim.id)
        if numbers.count < next.count {
            queue.putBack(Array(next.dropFirst(numbers.count)))
            queue.ranOutOfNumbers()
        }
        return Array(zip(numbers, next))
    }

    /// Writes the intent, which is committed before the first byte leaves; then lets leave what has places.
    ///
    /// - Returns: also the posts that wait for their places. A probe does not: it has left, or was taken back.
    private func post(
        _ batch: [(n: Int, outgoing: Outgoing)], of claim: Claim, _ attributes: PostAttributes, in places: Places,
        _ admission: Gate.Admission
    ) async -> (result: SendResult, waiting: Written?) {
        guard let pass = hub.pass else {
            places.giveBack()
            hub.lacksPass(now: context.clock.monotonic())
            await giveBack(batch.map(\.outgoing)[...], of: claim)
            return (SendResult(isProbe: admission == .probe), nil)
        }
        let requests = await sign(batch, of: claim, attributes, with: pass)
        let began = context.clock.monotonic()
        var result = SendResult(isProbe: admission == .probe)
        let answer = await write(requests, of: claim, &result)
        let ended = context.clock.monotonic()
        context.events.report(
            .intended(
                posts: requests.count, of: claim.id, at: hub, began: began, now: ended, isWritten: answer != nil))
        guard let intent = answer else {
            places.giveBack()  // at once: the next batch may wait for them
            return (result, nil)
        }
        hub.wroteIntent(in: ended - began, now: ended)
        let cancelled = requests.filter { !intent.written.contains($0.n) }.map(\.outgoing)
        var written = Written(
            posts: requests.filter { intent.written.contains($0.n) }[...], claim: claim, attributes: attributes,
            pass: pass, places: places, admission: admission, began: began)
        places.giveBack(allBut: written.posts.count)
        result.sent = await departNow(&written)
        if result.isProbe { result.sent += await depart(written) }
        result.waits = !result.isProbe && !written.posts.isEmpty
        result.replanned = await planAgain(cancelled, without: intent.cancelled, of: claim)
        return (result, result.waits ? written : nil)
    }

    /// - Parameter result: what it means for the claim when nothing may leave.
    /// - Returns: nil: nothing of the batch may leave, and its messages are taken care of.
    private func write(_ requests: [Ready], of claim: Claim, _ result: inout SendResult) async -> Intent? {
        let portion = IntentPortion(claim: claim.id, posts: requests.map { ($0.n, $0.outgoing.post) })
        let answer = await context.retrying(doing: "write an intent", by: .lane(number)) {
            () async throws(DatabaseError) in try await context.intents.write(portion)
        }
        guard let answer else {
            await withdraw(requests.map { (claim.post($0.n), $0.outgoing.post.messages) }, of: claim)
            if context.isRunning { await context.pause(after: 1) }
            return nil
        }
        guard let intent = answer else {
            context.log.warning(
                "a claim was rescued before it was posted", metadata: ["claim": .stringConvertible(claim.id)])
            result.isRescued = true
            return nil
        }
        if intent.isHeld {
            context.log.warning(
                "another session holds a claim of ours; its messages go back to due when that ends",
                metadata: ["claim": .stringConvertible(claim.id), "hub": "\(hub.settings.name)"])
            // This call wrote nothing. An earlier one, whose answer was lost, may have.
            await withdraw(requests.map { (claim.post($0.n), $0.outgoing.post.messages) }, of: claim)
            result.isHeld = true
            return nil
        }
        if let clash = intent.clash {
            // The numbers belong to other posts, so nothing may be recorded about them.
            context.log.critical(
                "a post has the number of another one; nothing more of its claim is posted",
                metadata: ["claim": .stringConvertible(claim.id), "error": "\(clash)"])
            await giveBack(requests.flatMap(\.outgoing.post.messages), of: claim)
            result.isHeld = true
            return nil
        }
        return intent
    }

    /// Makes the requests. The messages of a post that cannot become a request end here.
    private func sign(
        _ batch: [(n: Int, outgoing: Outgoing)], of claim: Claim, _ attributes: PostAttributes, with pass: Pass
    ) async -> [Ready] {
        var requests: [Ready] = []
        for (n, outgoing) in batch {
            do {
                var request = try hub.provider.request(for: outgoing.post, id: claim.post(n), with: pass)
                if let shared = attributes.traces(of: outgoing.post.messages)?.shared {
                    request.carry(context.events.spans?.header(of: claim.post(n), in: shared) ?? shared)
                }
                requests.append(Ready(n: n, outgoing: outgoing, request: request))
            } catch {
                let refusal = MessageOutcome(.rejected, .notSendable, note: "\(error)")
                context.events.report(
                    .refused(
                        outgoing.post.messages, refusal, attributes.traces(of: outgoing.post.messages), at: hub))
                await context.recorder.record(
                    left: outgoing.post.messages.map {
                        Completion.Left(claim: claim.id, message: $0, outcome: refusal)
                    })
            }
        }
        return requests
    }

    /// Plans the messages of these posts again, without the cancelled ones.
    func planAgain(
        _ posts: [Outgoing], without cancelled: Set<Int64>, of claim: Claim
    ) async -> [Outgoing] {
        var replanned: [Outgoing] = []
        for outgoing in posts {
            let remaining = Set(outgoing.post.messages).subtracting(cancelled)
            let posts = await plan(claim.messages.filter { remaining.contains($0.id) }, in: claim)
            replanned += posts.map { Outgoing($0, from: outgoing.from, unsent: outgoing.unsent) }
        }
        return replanned
    }
}
