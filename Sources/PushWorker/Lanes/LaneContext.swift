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
    let watch: DatabaseWatch
    private let running = Mutex(true)

    init(
        settings: DispatchSettings, clock: Clock, log: Logger, hubs: Hubs, recorder: Recorder, poller: DuePoller,
        heartbeat: Heartbeat, ownClaims: OwnClaims, watch: DatabaseWatch
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.hubs = hubs
        self.recorder = recorder
        self.poller = poller
        self.heartbeat = heartbeat
        self.ownClaims = ownClaims
        self.watch = watch
    }

    /// Whether new work may begin.
    var isRunning: Bool { running.withLock { $0 } }

    /// The worker stops: no new work begins.
    func stop() { running.withLock { $0 = false } }

    /// Waits a little longer after each fault in a row; cut short when the worker stops, or the database is back.
    func pause(after faults: Int) async {
        let pause = settings.backoff.delay(attempt: min(faults, 4), random: .random(in: 0.5...1))
        await hubs.waitUntilBack(atMost: pause, by: clock) { isRunning }
    }

    /// Repeats a statement that writes until it succeeds, as long as its error is transient and the worker runs.
    ///
    /// - Returns: nil when it did not succeed.
    func retrying<T: Sendable>(
        doing: String, by writer: DatabaseTrouble.Writer, _ body: () async throws(DatabaseError) -> T
    ) async -> T? {
        var faults = 0
        while true {
            let began = clock.monotonic()
            do {
                let written = try await body()
                watch.wrote(by: writer, began: began)
                return written
            } catch {
                faults += 1
                watch.failed(error, by: writer)
                log.error("cannot \(doing)", metadata: ["error": "\(error.why)", "tries": .stringConvertible(faults)])
                guard error.isTransient, isRunning else { return nil }
                await pause(after: faults)
            }
        }
    }

    /// Carries out what the answer to a post means for the whole hub: here at once, and in the database for the other
    /// workers.
    func apply(_ effect: Settlement.Effect, to hub: HubContext, of flight: InFlight.PostInFlight) async {
        let now = clock.monotonic()
        let name = hub.settings.name
        let leftAt = flight.leftAt
        defer { hub.turnAwayIfClosed(now: now) }
        switch effect {
        case .takes, .works:
            hub.keys.accepted(flight.token, leftAt: leftAt)
            await announce(hub.gate.worked(leftAt: leftAt, now: now, isTaken: effect == .takes), of: hub)
        case .refusedOne:
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            hub.gate.refusedOne(flight.messages[0], leftAt: leftAt, now: now)
        case .refused(let why):
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            let hold = hub.gate.refused(
                flight.messages[0], because: why, leftAt: leftAt, now: now, longest: settings.probeSeconds)
            await share(hold, of: hub, because: why)
        case .closeGate(let seconds, let why):
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await slowDown(hub, because: why, leftAt: leftAt)
            guard hub.gate.close(until: now + seconds, now: now) else { return }
            log.warning(
                "the hub asks all workers to wait",
                metadata: ["hub": "\(name)", "seconds": .stringConvertible(seconds)])
            await share("close a hub's gate") { () async throws(DatabaseError) in
                try await self.hubs.closeGate(hub.id, seconds: seconds)
                hub.gate.waitRecorded()
            }
        case .failed(let why):
            guard let seconds = hub.gate.failed(leftAt: leftAt, now: now) else { return }
            hub.window.shrink()
            log.warning(
                "nothing gets through to the hub; waiting, then trying one post",
                metadata: ["hub": "\(name)", "seconds": .stringConvertible(seconds), "why": "\(why)"])
            await share("report that nothing gets through") { () async throws(DatabaseError) in
                try await self.hubs.openBreaker(hub.id, seconds: seconds, because: why)
            }
        case .signAgain:
            await announce(Gate.Recovery(wasFailing: hub.gate.answered()), of: hub)
            await refusedToken(of: flight, by: hub, now: now)
        }
    }

    /// An answer showed that failures or a hold are over: logs it and tells the other workers.
    private func announce(_ recovery: Gate.Recovery, of hub: HubContext) async {
        if recovery.wasFailing {
            log.notice("posts get through to the hub again", metadata: ["hub": "\(hub.settings.name)"])
            await share("report that a hub works again") { () async throws(DatabaseError) in
                try await self.hubs.closeBreaker(hub.id)
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
                metadata: [
                    "hub": "\(hub.settings.name)", "posts_per_second": .stringConvertible(rate), "why": "\(why)",
                ])
        }
    }

    /// A 401: sign again, then try the other key, then hold the hub.
    private func refusedToken(of flight: InFlight.PostInFlight, by hub: HubContext, now: Double) async {
        let name = hub.settings.name
        let token = flight.token
        hub.gate.refusedToken(of: flight.messages[0], leftAt: flight.leftAt, now: now)
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
            let why = hub.clockSkew.reason ?? Self.everyKeyRefused(by: name)
            let hold = hub.gate.hold(
                because: why, leftAt: flight.leftAt, now: now, pause: settings.probeSeconds)
            await share(hold, of: hub, because: why)
        }
    }

    private static func everyKeyRefused(by hub: String) -> String {
        "The hub refuses every key we have: check the connection string of hub \(hub)."
    }

    /// Tells the other workers, and people, that the hub is held.
    private func share(_ hold: Gate.Hold, of hub: HubContext, because why: String) async {
        guard hold.isNews else { return }
        if hold.probeAfter > 0 {
            log.error(
                "the hub is held; its messages wait",
                metadata: [
                    "hub": "\(hub.settings.name)", "why": "\(why)",
                    "next_try_seconds": .stringConvertible(hold.probeAfter),
                ])
        } else {
            log.warning(
                "the hub refused a message; trying another one",
                metadata: ["hub": "\(hub.settings.name)", "why": "\(why)"])
        }
        await share("hold a hub") { () async throws(DatabaseError) in
            try await self.hubs.hold(hub.id, because: why, probeAfter: hold.probeAfter)
        }
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
