import Logging
import Postgres
import Signing
import Store
import Synchronization

/// What all lanes of a worker share, and what an answer means for the whole hub.
final class LaneContext: Sendable {
    let settings: DispatchSettings
    let clock: Clock
    let log: Logger
    let hubs: Hubs
    let recorder: Recorder
    let poller: DuePoller
    let heartbeat: Heartbeat
    let ownClaims: OwnClaims
    private let running = Mutex(true)

    init(
        settings: DispatchSettings, clock: Clock, log: Logger, hubs: Hubs, recorder: Recorder, poller: DuePoller,
        heartbeat: Heartbeat, ownClaims: OwnClaims
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.hubs = hubs
        self.recorder = recorder
        self.poller = poller
        self.heartbeat = heartbeat
        self.ownClaims = ownClaims
    }

    /// Whether new work may begin.
    var isRunning: Bool { running.withLock { $0 } }

    /// The worker stops: no new work begins.
    func stop() { running.withLock { $0 = false } }

    /// Waits a little longer after each fault in a row; cut short when the worker stops.
    func pause(after faults: Int) async {
        let until = clock.monotonic() + settings.backoff.delay(attempt: min(faults, 4), random: 1)
        while isRunning, clock.monotonic() < until {
            // Cancellation may cut it short: the loop looks at the clock again.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Repeats a statement until it succeeds, as long as its error is transient and the worker runs.
    ///
    /// - Returns: nil when it did not succeed.
    func retrying<T: Sendable>(
        doing: String, _ body: () async throws(DatabaseError) -> T
    ) async -> T? {
        var faults = 0
        while true {
            do {
                return try await body()
            } catch {
                faults += 1
                log.error("cannot \(doing)", metadata: ["error": "\(error)", "tries": "\(faults)"])
                guard error.isTransient, isRunning else { return nil }
                await pause(after: faults)
            }
        }
    }

    /// Carries out what an answer means for the whole hub: here at once, and in the database for the other workers.
    func apply(_ effect: Settlement.Effect, to hub: HubContext, token: SASToken, leftAt: Double) async {
        let now = clock.monotonic()
        let name = hub.settings.name
        defer { hub.turnAwayIfClosed(now: now) }
        switch effect {
        case .none: break
        case .works:
            hub.keys.accepted()
            await announce(hub.gate.worked(leftAt: leftAt, now: now), of: hub)
        case .closeGate(let seconds, let why):
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await slowDown(hub, because: why, leftAt: leftAt)
            guard hub.gate.close(until: now + seconds, now: now) else { return }
            log.warning("the hub asks all workers to wait", metadata: ["hub": "\(name)", "seconds": "\(seconds)"])
            await share("close a hub's gate") { () async throws(DatabaseError) in
                try await self.hubs.closeGate(hub.id, seconds: seconds)
                hub.gate.waitRecorded()
            }
        case .failed(let why):
            guard let seconds = hub.gate.failed(leftAt: leftAt, now: now) else { return }
            hub.window.shrink()
            log.warning(
                "nothing gets through to the hub; waiting, then trying one post",
                metadata: ["hub": "\(name)", "seconds": "\(seconds)", "why": "\(why)"])
            await share("report that nothing gets through") { () async throws(DatabaseError) in
                try await self.hubs.breakOff(hub.id, seconds: seconds, because: why)
            }
        case .signAgain:
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await refused(token, by: hub, now: now)
        case .hold(let why):
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await hold(hub, because: why)
        }
    }

    /// An answer showed that failures or a hold are over: logs it and tells the other workers.
    private func announce(_ recovery: Gate.Recovery, of hub: HubContext) async {
        if recovery.wasFailing {
            log.notice("posts get through to the hub again", metadata: ["hub": "\(hub.settings.name)"])
            await share("report that a hub works again") { () async throws(DatabaseError) in
                try await self.hubs.mend(hub.id)
            }
        }
        if let why = recovery.wasHeldBecause {
            log.notice(
                "the hub takes posts again; it was held",
                metadata: ["hub": "\(hub.settings.name)", "was_held_because": "\(why)"])
            await share("release a hub") { () async throws(DatabaseError) in try await self.hubs.release(hub.id) }
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
            self.log.warning(
                "the hub throttles; all workers slow down, and double their rate every 30 s",
                metadata: ["hub": "\(hub.settings.name)", "posts_per_second": "\(rate)", "why": "\(why)"])
        }
    }

    /// A 401: sign again, then try the other key, then hold the hub.
    private func refused(_ token: SASToken, by hub: HubContext, now: Double) async {
        let name = hub.settings.name
        // With a clock that is too late the other key would not help, and the other workers' clocks may be right.
        let switchKey = { !hub.clockSkew.makesTokensLate && hub.tokens.switchKey(from: token) }
        switch hub.keys.refused(token, switchKey: switchKey) {
        case .ignore: hub.tokens.forget(token)  // signed within the same second, it is the same token again
        case .signAgain:
            // A token signed within the same second would be the same token.
            hub.gate.pauseHere(until: now + 1)
            hub.tokens.forget(token)
            log.warning("the hub refused our token; signing again", metadata: ["hub": "\(name)"])
        case .switchKey:
            let key = hub.key
            log.warning(
                "the hub refused our key; trying the other one", metadata: ["hub": "\(name)", "key": "\(key)"])
            hub.keys.changed(to: key, because: "the hub refused the \(key.other) key", now: now)
            await share("report which key a hub takes") { () async throws(DatabaseError) in
                try await hub.shareKeyChange(self.hubs)
            }
        case .hold:
            hub.tokens.forget(token)
            await hold(hub, because: hub.clockSkew.reason ?? Self.everyKeyRefused(by: name))
        }
    }

    private static func everyKeyRefused(by hub: String) -> String {
        "The hub refuses every key we have: check the connection string of hub \(hub)."
    }

    private func hold(_ hub: HubContext, because why: String) async {
        let isNew = hub.gate.read { $0.held == nil }
        hub.gate.hold(because: why, now: clock.monotonic())
        if isNew {
            log.error(
                "the hub is held; its messages wait",
                metadata: ["hub": "\(hub.settings.name)", "why": "\(why)", "next_try": "\(settings.probeSeconds) s"])
        }
        await share("hold a hub") { () async throws(DatabaseError) in
            try await self.hubs.hold(hub.id, because: why, probeAfter: self.settings.probeSeconds)
        }
    }

    /// Writes something for the other workers. Without the database they learn it later or by themselves, so a failure is
    /// only logged.
    private func share(_ doing: String, _ body: () async throws(DatabaseError) -> Void) async {
        do {
            try await body()
        } catch {
            log.warning("cannot \(doing) for the other workers", metadata: ["error": "\(error)"])
        }
    }
}
