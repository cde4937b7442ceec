import HTTPTransport
import Postgres
import Providers
import PushModel
import Store

/// The way back: answer → verdict → record.
extension Lane {
    /// Turns answers into verdicts and records them, until the transport has nothing more for this lane.
    func receive(_ splitSink: AsyncStream<Split>.Continuation) async {
        while true {
            let replies = await channel.replies()
            if replies.isEmpty { return splitSink.finish() }
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
            checkClock(against: replies, isSuspect: effects.contains { $0.effect == .signAgain }, now: now)
            // The effects on the hub come before its places are free again: nothing more may leave for a hub that is
            // closed.
            for (effect, flight) in Self.coalesced(effects) {
                await context.apply(effect, to: hub, token: flight.token, leftAt: flight.leftAt)
            }
            hub.window.release(replies.count, answered: effects.count { $0.effect == .works })
            await context.recorder.record(answered: answered)
            // Only after the answers are with the recorder: the way out may be what finishes the claim, and an answer
            // recorded after that would find no claim any more.
            let finished = zip(answered, effects).filter { answer, effect in
                inFlight.recorded(effect.flight.claim, isSplit: splits[answer.post] != nil)
            }
            if !finished.isEmpty { await context.recorder.record(finished: finished.map(\.1.flight.claim)) }
            let accepted = answered.count { $0.answer.verdict == .accepted }
            if accepted > 0 { hub.throttlePolicy.withLock { $0.accepted(accepted, now: now) } }
            let withStatus = answered.filter { $0.answer.status != nil }
            hub.throughput.answered(
                withStatus.count, messages: withStatus.reduce(0) { $0 + $1.messages.count }, now: now)
            for split in answered.compactMap({ splits[$0.post] }) { splitSink.yield(split) }
        }
    }

    /// Of several `works` in a row, only the one whose post left last counts.
    private static func coalesced(
        _ effects: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)]
    ) -> [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] {
        var coalesced: [(effect: Settlement.Effect, flight: InFlight.PostInFlight)] = []
        for next in effects {
            if next.effect == .works, let last = coalesced.last, last.effect == .works {
                if next.flight.leftAt > last.flight.leftAt { coalesced[coalesced.count - 1] = next }
            } else {
                coalesced.append(next)
            }
        }
        return coalesced
    }

    /// A refused post of several contents says nothing about any one of them: it leaves again in halves. Only the refusal
    /// of a single content is final.
    private func split(_ flight: InFlight.PostInFlight, _ post: Int64, after settlement: Settlement) -> Split? {
        guard settlement.mayBeSplit, let whole = flight.splittable, let (one, other) = whole.post.halves() else {
            return nil
        }
        return Split(claim: whole.claim, halves: [one, other], from: post)
    }

    /// Compares our clock with the hub's, once a minute and when it refused a token: a wrong clock signs tokens that are
    /// refused.
    private func checkClock(against replies: [Reply], isSuspect: Bool, now: Double) {
        guard hub.clockSkew.isDue(now: now) || isSuspect,
            let seconds = replies.lazy.compactMap(hub.provider.skew).first
        else { return }
        hub.clockSkew.measured(seconds, now: now)
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
