import HTTPTransport
import Postgres
import Providers
import PushModel
import Store

/// The way back: answer → verdict → record.
extension Lane {
    /// Answers → verdicts → records, until the transport has nothing more for this lane.
    func land(_ splitting: AsyncStream<Split>.Continuation) async {
        while true {
            let replies = await channel.replies()
            if replies.isEmpty { return splitting.finish() }
            let now = context.clock.monotonic()
            var answered: [Completion.Answered] = []
            var effects: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] = []
            var splits: [Int64: Split] = [:]  // by post
            for reply in replies {
                guard let flight = inFlight.arrive(reply.id) else { continue }
                let answer = hub.provider.answer(to: reply)
                let settlement = Settlement(answer.verdict, facts(of: flight), context.settings)
                let split = split(flight, reply.id, after: settlement)
                if let split { splits[reply.id] = split }
                answered.append(
                    Completion.Answered(
                        post: reply.id, answer: answer, outcome: split == nil ? settlement.outcome : nil,
                        messages: flight.messages))
                effects.append((settlement.effect, flight))
            }
            look(at: replies, isSuspect: effects.contains { $0.effect == .signAgain }, now: now)
            // What an answer means for the hub comes before the places that are free again: nothing more leaves for one
            // that is closed.
            for (effect, flight) in Self.told(effects) {
                await context.apply(effect, to: hub, token: flight.token, leftAt: flight.leftAt)
            }
            hub.window.giveBack(replies.count, answered: effects.count { $0.effect == .works })
            await context.recorder.record(answered: answered)
            // Only now: the other side of the lane may be the one that finishes the claim, and what is recorded after that
            // would find no claim any more.
            let finished = zip(answered, effects).filter { answer, effect in
                inFlight.landed(effect.flight.claim, again: splits[answer.post] != nil)
            }
            if !finished.isEmpty { await context.recorder.record(finished: finished.map(\.1.flight.claim)) }
            let taken = answered.count { $0.answer.verdict == .accepted }
            if taken > 0 { hub.throttlePolicy.withLock { $0.took(taken, now: now) } }
            let came = answered.filter { $0.answer.status != nil }
            hub.throughput.answered(came.count, messages: came.reduce(0) { $0 + $1.messages.count }, now: now)
            for split in answered.compactMap({ splits[$0.post] }) { splitting.yield(split) }
        }
    }

    /// Of several answers in a row that say the hub works, the one to the post that left last says it all.
    private static func told(
        _ effects: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)]
    ) -> [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] {
        var told: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] = []
        for next in effects {
            if next.effect == .works, let last = told.last, last.effect == .works {
                if next.flight.leftAt > last.flight.leftAt { told[told.count - 1] = next }
            } else {
                told.append(next)
            }
        }
        return told
    }

    /// A refused post that holds several contents says nothing about any of them: it leaves again in halves, and only a
    /// single content is final.
    private func split(_ flight: InFlight.PostInFlight, _ post: Int64, after settlement: Settlement) -> Split? {
        guard settlement.mayBeSplit, let whole = flight.whole, let (one, other) = whole.post.halves() else {
            return nil
        }
        return Split(claim: whole.claim, halves: [one, other], from: post)
    }

    /// Our clock against the hub's, once a minute and whenever it refused a token: a clock that is wrong signs tokens that
    /// are refused.
    private func look(at replies: [Reply], isSuspect: Bool, now: Double) {
        guard hub.clockSkew.isDue(now: now) || isSuspect,
            let seconds = replies.lazy.compactMap(hub.provider.skew).first
        else { return }
        hub.clockSkew.found(seconds, now: now)
        guard abs(seconds) > ClockSkew.tolerated else { return }
        context.log.warning(
            "our clock and the hub's differ; set this machine's clock by NTP",
            metadata: ["hub": "\(hub.settings.name)", "ahead_seconds": "\(Int(seconds))"])
    }

    private func facts(of flight: InFlight.PostInFlight) -> Settlement.Facts {
        Settlement.Facts(
            attempt: flight.attempt, expiresAt: flight.expiresAt, onDoubt: flight.onDoubt, from: flight.from,
            othersSucceed: hub.gate.read { $0.breaker.workedAt > flight.leftAt - 1 }, now: context.clock.wall(),
            random: Double.random(in: 0...1))
    }
}
