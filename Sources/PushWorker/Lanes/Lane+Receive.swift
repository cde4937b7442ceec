import Concurrency
import HTTPTransport
import Postgres
import Providers
import PushModel
import Store

/// The way back: answer → verdict → record.
extension Lane {
    /// Turns answers into verdicts and records them, until the transport has nothing more for this lane. What is refused and
    /// leaves again in parts is sent beside that.
    func receive() async {
        let turns = AsyncLock(PostingSlot())
        await withDiscardingTaskGroup { group in
            while case let replies = await channel.replies(), !replies.isEmpty {
                for split in await settle(replies) {
                    group.addTask {
                        let turn = await turns.take()
                        await sendParts(split)
                        turns.pass(turn)
                    }
                }
            }
        }
    }

    /// - Returns: posts that leave again in parts.
    private func settle(_ replies: [Reply]) async -> [Split] {
        let now = context.clock.monotonic()
        var answered: [Completion.Answered] = []
        var effects: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] = []
        var splits: [Int64: Split] = [:]  // by post
        for reply in replies {
            guard let flight = inFlight.arrive(reply.id) else { continue }
            let answer = hub.provider.answer(to: reply)
            let settlement = Settlement(answer.verdict, facts(of: flight, answer.verdict), context.settings)
            let split = split(flight, reply.id, after: settlement, answer)
            if let split { splits[reply.id] = split }
            let outcome = split == nil ? settlement.outcome : nil
            context.events.report(.answered(reply.id, flight, answer, outcome, at: hub, priority, now: now))
            answered.append(
                Completion.Answered(post: reply.id, answer: answer, outcome: outcome, messages: flight.messages))
            effects.append((settlement.effect, flight))
            if let from = flight.from, settlement.effect == .takes {
                hub.batchSupport.withLock { $0.partTaken(of: from, now: now) }
            }
        }
        context.events.report(
            .replied(replies, at: hub, isSuspect: effects.contains { $0.effect == .signAgain }, now: now))
        // The effects on the hub come before its places are free again: nothing more may leave for a hub that is
        // closed.
        for (effect, flight) in Self.coalesced(effects) {
            await context.effects.apply(effect, to: hub, of: flight, isUrgent: priority == .urgent)
        }
        await guardTargets(answered, effects.map(\.flight))
        hub.window.release(
            replies.count, answered: effects.count { [.takes, .works].contains($0.effect) },
            lane: Int(priority.rawValue))
        await context.recorder.record(answered: answered, awaited: splits.keys)
        // Only after the answers are with the recorder: the way out may be what finishes the claim, and an answer
        // recorded after that would find no claim any more.
        let finished = zip(answered, effects).filter { answer, effect in
            inFlight.recorded(effect.flight.claim, isSplit: splits[answer.post] != nil)
        }
        if !finished.isEmpty { await context.recorder.record(finished: finished.map(\.1.flight.claim)) }
        context.events.report(.settled(answered, at: hub, now: now))
        return answered.compactMap { splits[$0.post] }
    }

    /// Looks whether the service has something against the sender that it says of each target.
    private func guardTargets(_ answered: [Completion.Answered], _ flights: [InFlight.PostInFlight]) async {
        var steps: [(step: TargetGuard.Step, leftAt: Double)] = []
        hub.targets.withLock { targets in
            for (one, flight) in zip(answered, flights) {
                let step = targets.answered(one.answer.verdict, suspicion: hub.provider.suspicion)
                if let step { steps.append((step, flight.leftAt)) }
            }
        }
        for (step, leftAt) in steps { await context.effects.apply(step, to: hub, leftAt: leftAt) }
    }

    /// Of several `takes` in a row, only the one whose post left last counts.
    private static func coalesced(
        _ effects: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)]
    ) -> [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] {
        var coalesced: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] = []
        for next in effects {
            if next.effect == .takes, let last = coalesced.last, last.effect == .takes {
                if next.flight.leftAt > last.flight.leftAt { coalesced[coalesced.count - 1] = next }
            } else {
                coalesced.append(next)
            }
        }
        return coalesced
    }

    /// A refused post of several contents says nothing about any one of them: it leaves again in halves, or one by one if
    /// perhaps the hub's tier has no batches to handles. Only the refusal of a single content counts.
    private func split(
        _ flight: InFlight.PostInFlight, _ post: Int64, after settlement: Settlement, _ answer: Answer
    ) -> Split? {
        // Without a status nothing was read: a certificate did not verify.
        guard settlement.mayBeSplit, answer.status != nil, let whole = flight.splittable else { return nil }
        var parts = whole.post.halves().map { [$0, $1] } ?? []
        if answer.verdict.refusesSender, case .handles = whole.post.target {
            hub.batchSupport.withLock { $0.refused(post) }
            parts = whole.post.singles()
        }
        guard !parts.isEmpty else { return nil }
        var split = Split(claim: whole.claim, parts: parts, from: post)
        if case .refused = settlement.effect { split.unsent = settlement.outcome }
        return split
    }

    private func facts(of flight: InFlight.PostInFlight, _ verdict: Verdict) -> Settlement.Facts {
        Settlement.Facts(
            attempt: flight.attempt, expiresAt: flight.expiresAt, onDoubt: flight.onDoubt, from: flight.from,
            othersSucceed: hub.gate.read { $0.breaker.workedAt > flight.leftAt - 1 },
            isOwnRefusal: isOwnRefusal(flight, verdict),
            isLastKey: hub.keys.isLast(flight.pass, hasOther: hub.passes.hasSecondary), now: context.clock.monotonic(),
            random: Double.random(in: 0...1))
    }

    /// Whether the hub refused this message and takes others.
    private func isOwnRefusal(_ flight: InFlight.PostInFlight, _ verdict: Verdict) -> Bool {
        let message = flight.messages[0]
        guard case .authExpired = verdict else { return hub.gate.isOwnRefusal(message, leftAt: flight.leftAt) }
        // A success a moment ago says nothing about a token that has just ended.
        return hub.keys.isTaken(flight.pass, since: flight.leftAt) || hub.gate.wasPassedOver(message)
    }
}
