import Logging
import Postgres
import Signing
import Store
import Synchronization

/// What all lanes of a worker share, and what one answer means for everybody.
final class LaneContext: Sendable {
    let settings: DispatchSettings
    let clock: Clock
    let log: Logger
    let hubs: Hubs
    let recorder: Recorder
    let poller: DuePoller
    let heartbeat: Heartbeat
    let ownClaims: OwnClaims
    private let open = Mutex(true)

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
    var isOpen: Bool { open.withLock { $0 } }

    func close() { open.withLock { $0 = false } }

    /// Waits a little longer after each fault in a row; cut short when the office closes.
    func pause(after faults: Int) async {
        let until = clock.monotonic() + settings.backoff.delay(attempt: min(faults, 4), random: 1)
        while isOpen, clock.monotonic() < until {
            // Ends early only by cancellation; the loop goes by `isOpen`.
            try? await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Tries a statement until it works, while trying makes sense and the office is open.
    ///
    /// - Returns: nil when it did not work.
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
                guard error.isTransient, isOpen else { return nil }
                await pause(after: faults)
            }
        }
    }

    /// Carries out what an answer means for the whole hub, here at once and in the database for all workers.
    func apply(_ effect: Settlement.Effect, to hub: HubContext, token: SASToken, leftAt: Double) async {
        let now = clock.monotonic()
        let name = hub.settings.name
        defer { hub.clear(now: now) }
        switch effect {
        case .none: break
        case .works:
            hub.keys.worked()
            await end(hub.gate.worked(leftAt: leftAt, now: now), of: hub)
        case .closeGate(let seconds, let why):
            await end(Gate.Ended(failing: hub.gate.answered()), of: hub)
            await slowDown(hub, because: why, leftAt: leftAt)
            guard hub.gate.close(until: now + seconds, now: now) else { return }
            log.warning("the hub asks everybody to wait", metadata: ["hub": "\(name)", "seconds": "\(seconds)"])
            await share("close a hub's gate") { () async throws(DatabaseError) in
                try await self.hubs.closeGate(hub.id, seconds: seconds)
                hub.gate.told()
            }
        case .failed(let why):
            guard let seconds = hub.gate.failed(leftAt: leftAt, now: now) else { return }
            hub.window.shrink()
            log.warning(
                "nothing gets through to the hub; waiting, then trying one post",
                metadata: ["hub": "\(name)", "seconds": "\(seconds)", "why": "\(why)"])
            await share("tell that nothing gets through") { () async throws(DatabaseError) in
                try await self.hubs.breakOff(hub.id, seconds: seconds, because: why)
            }
        case .signAgain:
            await end(Gate.Ended(failing: hub.gate.answered()), of: hub)
            await refused(token, by: hub, now: now)
        case .hold(let why):
            await end(Gate.Ended(failing: hub.gate.answered()), of: hub)
            await hold(hub, because: why)
        }
    }

    /// What a post that was answered brought to its end.
    private func end(_ ended: Gate.Ended, of hub: HubContext) async {
        if ended.failing {
            log.notice("posts get through to the hub again", metadata: ["hub": "\(hub.settings.name)"])
            await share("tell that a hub works again") { () async throws(DatabaseError) in
                try await self.hubs.mend(hub.id)
            }
        }
        if let why = ended.hold {
            log.notice(
                "the hub takes posts again; it was held",
                metadata: ["hub": "\(hub.settings.name)", "was_held_because": "\(why)"])
            await share("release a hub") { () async throws(DatabaseError) in try await self.hubs.release(hub.id) }
        }
    }

    /// The hub throttles: all workers go slower, and faster again with the minutes.
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
                "the hub throttles; all workers slow down, to double every 30 s",
                metadata: ["hub": "\(hub.settings.name)", "posts_per_second": "\(rate)", "why": "\(why)"])
        }
    }

    /// A 401: first sign anew, then the other key, then hold.
    private func refused(_ token: SASToken, by hub: HubContext, now: Double) async {
        let name = hub.settings.name
        // The other key would not help, and the other workers' clocks may be right.
        let switchKey = { !hub.clockSkew.makesTokensLate && hub.tokens.switchKey(from: token) }
        switch hub.keys.refused(token, switchKey: switchKey) {
        case .ignore: hub.tokens.forget(token)  // signed within the same second, it is the same token again
        case .signAgain:
            // A token signed within the same second would be the same token.
            hub.gate.rest(until: now + 1)
            hub.tokens.forget(token)
            log.warning("the hub refused our token; signing anew", metadata: ["hub": "\(name)"])
        case .switchKey:
            let key = hub.key
            log.warning(
                "the hub refused our key; trying the other one", metadata: ["hub": "\(name)", "key": "\(key)"])
            hub.keys.changed(to: key, because: "the hub refused the \(key.other) key", now: now)
            await share("tell which key a hub takes") { () async throws(DatabaseError) in
                try await hub.tell(self.hubs)
            }
        case .hold:
            hub.tokens.forget(token)
            await hold(hub, because: hub.clockSkew.reason ?? Self.keys(of: name))
        }
    }

    private static func keys(of hub: String) -> String {
        "The hub refuses every key we have: check the connection string of hub \(hub)."
    }

    private func hold(_ hub: HubContext, because why: String) async {
        let isNews = hub.gate.read { $0.held == nil }
        hub.gate.hold(because: why, now: clock.monotonic())
        if isNews {
            log.error(
                "the hub is held; its messages wait",
                metadata: ["hub": "\(hub.settings.name)", "why": "\(why)", "next_try": "\(settings.probeSeconds) s"])
        }
        await share("hold a hub") { () async throws(DatabaseError) in
            try await self.hubs.hold(hub.id, because: why, probeAfter: self.settings.probeSeconds)
        }
    }

    /// Other workers learn it late or by themselves when the database is away: worth a line, not a stop.
    private func share(_ doing: String, _ body: () async throws(DatabaseError) -> Void) async {
        do {
            try await body()
        } catch {
            log.warning("cannot \(doing) for the other workers", metadata: ["error": "\(error)"])
        }
    }
}
