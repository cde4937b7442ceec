import Logging
import Postgres
import Signing
import Store

/// Carries out what an answer means for a whole hub: here at once, and in the database for the other workers.
struct HubEffects: Sendable {
    let settings: DispatchSettings
    let clock: Clock
    let log: Logger
    /// The hubs in the database.
    let hubs: Hubs
    let events: LaneEvents

    private var states: HubStateLog { HubStateLog(log: log) }

    /// The effect of the answer to a post.
    func apply(
        _ effect: Settlement.Effect, to hub: HubContext, of flight: InFlight.PostInFlight, isUrgent: Bool
    ) async {
        let now = clock.monotonic()
        let leftAt = flight.leftAt
        defer { hub.turnAwayIfClosed(now: now) }
        switch effect {
        case .takes, .works:
            hub.keys.accepted(flight.pass, leftAt: leftAt)
            await announce(hub.gate.worked(leftAt: leftAt, now: now, isTaken: effect == .takes), of: hub)
        case .refusedOne:
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            hub.gate.refusedOne(flight.messages[0], leftAt: leftAt, now: now)
        case .refused(let why):
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            let hold = hub.gate.refused(
                flight.messages[0], because: why, leftAt: leftAt, now: now, longest: settings.probeSeconds)
            await share(hold, of: hub, because: why, leftAt: leftAt)
        case .closeGate(let seconds, let why):
            hub.passes.throttled(flight.pass, for: seconds)
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await slowDown(hub, because: why, leftAt: leftAt)
            await closeGate(of: hub, seconds: seconds, because: why, now: now)
        case .failed(let why):
            guard let seconds = hub.gate.failed(leftAt: leftAt, now: now, isUrgent: isUrgent) else { return }
            hub.window.shrink()
            states.report(.failing, of: hub, because: why, now: now, seconds: seconds)
            await share("report that nothing gets through") { () async throws(DatabaseError) in
                try await self.hubs.openBreaker(hub.id, seconds: seconds, because: why)
            }
        case .signAgain:
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await refusedToken(of: flight, by: hub, now: now)
        }
    }

    /// What the answers of single targets showed about the sender.
    func apply(_ step: TargetGuard.Step, to hub: HubContext, leftAt: Double) async {
        let now = clock.monotonic()
        switch step {
        case .hold(let why):
            let hold = hub.gate.hold(because: why, leftAt: leftAt, now: now, pause: .infinity)
            await share(hold, of: hub, because: why, leftAt: leftAt)
        case .close(let seconds, let why): await closeGate(of: hub, seconds: seconds, because: why, now: now)
        }
        hub.turnAwayIfClosed(now: now)
    }

    /// What became of the search for a pass: the hub waits here while there is none, and is held for everybody when its
    /// service refuses us one. One credential that is refused beside another that serves is logged alone.
    func apply(_ trouble: PassTrouble?, to hub: HubContext) async {
        let now = clock.monotonic()
        hub.gate.withoutPass(because: trouble?.reason, now: now)
        substituted(because: hub.passes.refusal, at: hub, now: now)
        guard case .refused(let why) = trouble else { return }
        let hold = hub.gate.hold(because: why, leftAt: now, now: now, pause: settings.probeSeconds)
        await share(hold, of: hub, because: why, leftAt: now)
        hub.turnAwayIfClosed(now: now)
    }

    /// - Parameter why: why the credential in use is refused while the other one serves; nil: it is not refused.
    private func substituted(because why: String?, at hub: HubContext, now: Double) {
        guard let why else {
            states.ended(.substituted, of: hub, now: now)
            return
        }
        guard states.began(.substituted, of: hub, because: why, now: now) else { return }
        log.warning(
            "the credential in use is refused; the other one serves in its place",
            metadata: ["hub": "\(hub.settings.name)", "in_use": "\(hub.key)", "why": "\(why)"])
    }

    /// An answer showed that failures or a hold are over: logs it and reports it to the other workers.
    private func announce(_ recovery: Gate.Recovery, of hub: HubContext) async {
        if recovery.wasFailing {
            states.ended(.failing, of: hub, now: clock.monotonic())
            await share("report that a hub works again") { () async throws(DatabaseError) in
                try await self.hubs.closeBreaker(hub.id)
            }
        }
        if recovery.wasHeldBecause != nil {
            states.ended(.held, of: hub, now: clock.monotonic())
            await share("release a hub") { () async throws(DatabaseError) in try await self.hubs.release(hub.id) }
        }
    }

    private func closeGate(of hub: HubContext, seconds: Double, because why: String, now: Double) async {
        guard hub.gate.close(until: now + seconds, now: now) else { return }
        states.report(.waiting, of: hub, because: why, now: now, seconds: seconds)
        await share("close a hub's gate") { () async throws(DatabaseError) in
            try await self.hubs.closeGate(hub.id, seconds: seconds)
            hub.gate.waitRecorded()
        }
    }

    /// The hub throttles: all workers slow down, and speed up again over the next minutes.
    private func slowDown(_ hub: HubContext, because why: String, leftAt: Double) async {
        let now = clock.monotonic()
        guard let measured = hub.throttlePolicy.withLock({ $0.throttled(leftAt: leftAt, now: now) }) else { return }
        await share("slow down a hub") { () async throws(DatabaseError) in
            let rate = try await self.hubs.slowDown(
                hub.id, configured: Double(hub.settings.ratePerSecond), measured: measured, age: now - leftAt,
                because: why)
            guard let rate else { return }
            hub.slow(to: rate)
            self.states.began(.slowed, of: hub, because: why, now: now)
            self.log.warning(
                "the hub throttles; all workers slow down, and double their rate every 30 s",
                metadata: [
                    "hub": "\(hub.settings.name)", "posts_per_second": .stringConvertible(rate), "why": "\(why)",
                ])
        }
    }

    /// A 401: sign again, then try the other key, then hold the hub.
    private func refusedToken(of flight: InFlight.PostInFlight, by hub: HubContext, now: Double) async {
        hub.gate.refusedToken(of: flight.messages[0], leftAt: flight.leftAt, now: now)
        let step = nextStep(after: flight.pass, at: hub)
        // A token signed within the same second would be the same token.
        if step == .renew { hub.gate.pauseHere(until: now + 1) }
        await renew(flight.pass, of: hub, step)
        guard step == .hold else { return }
        let why = Self.everyKeyRefused(by: hub)
        let hold = hub.gate.hold(because: why, leftAt: flight.leftAt, now: now, pause: settings.probeSeconds)
        await share(hold, of: hub, because: why, leftAt: flight.leftAt)
    }

    /// The hub refused the token of a change of a device: signs again, then tries the other key.
    ///
    /// - Returns: why devices should wait, when every key was refused: messages show by themselves whether they may be
    ///   sent. nil: try again.
    func refusedPass(_ pass: Pass, by hub: HubContext) async -> String? {
        let step = nextStep(after: pass, at: hub)
        await renew(pass, of: hub, step)
        return step == .hold ? Self.everyKeyRefused(by: hub) : nil
    }

    private func nextStep(after pass: Pass, at hub: HubContext) -> KeyFailover.Step {
        // With a clock that is too late the other key would not help, and the other workers' clocks may be right.
        hub.keys.refused(pass) { !hub.clockSkew.makesTokensLate && hub.passes.useOther(than: pass) }
    }

    private func renew(_ pass: Pass, of hub: HubContext, _ step: KeyFailover.Step) async {
        let name = hub.settings.name
        events.report(.tokenRefused(at: hub))
        switch step {
        case .ignore: hub.passes.forget(pass)  // signed within the same second, it is the same token again
        case .renew:
            hub.passes.forget(pass)
            log.warning("the hub refused our token; signing again", metadata: ["hub": "\(name)"])
        case .switchKey:
            let key = hub.key
            log.warning(
                "the hub refused our key; trying the other one", metadata: ["hub": "\(name)", "key": "\(key)"])
            hub.keys.changed(to: key, because: "the hub refused the \(key.other) key", now: clock.monotonic())
            await share("report which key a hub takes") { () async throws(DatabaseError) in
                try await hub.shareKeyChange(self.hubs)
            }
        case .hold: hub.passes.forget(pass)
        }
    }

    /// Not every service says what time it is.
    private static func everyKeyRefused(by hub: HubContext) -> String {
        if let clock = hub.clockSkew.reason { return clock }
        let keys = "The hub refuses every key we have: check the keys of hub \(hub.settings.name) in the settings"
        return hub.clockSkew.seconds == nil
            ? "\(keys), and this machine's clock: its answers do not say the time." : "\(keys)."
    }

    /// Reports to the other workers, and people, that the hub is held; unless a person resumed it, or another worker
    /// found it open, after the refused post had left.
    private func share(_ hold: Gate.Hold, of hub: HubContext, because why: String, leftAt: Double) async {
        guard hold.isNews else { return }
        var stands = true
        await share("hold a hub") { () async throws(DatabaseError) in
            stands = try await self.hubs.hold(
                hub.id, because: why, probeAfter: hold.probeAfter, age: self.clock.monotonic() - leftAt)
        }
        guard stands else { return hub.gate.holdIsOver() }
        guard hold.probeAfter <= 0 else {
            states.report(.held, of: hub, because: why, now: clock.monotonic(), seconds: hold.probeAfter)
            return
        }
        states.began(.held, of: hub, because: why, now: clock.monotonic())
        log.warning(
            "the hub refused a message; trying another one",
            metadata: ["hub": "\(hub.settings.name)", "why": "\(why)"])
    }

    /// Writes something for the other workers. Without the database they learn it later or by themselves, so a failure is
    /// only logged.
    private func share(_ doing: String, _ body: () async throws(DatabaseError) -> Void) async {
        do {
            try await body()
        } catch {
            log.warning("cannot \(doing) for the other workers", metadata: ["error": "\(error.why)"])
        }
    }
}
