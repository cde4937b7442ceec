import Logging
import Postgres
import Signing
import Store
import Synchronization

/// What all lanes of a worker share, and what one answer means for everybody.
final class Office: Sendable {
    let settings: DispatchSettings
    let clock: Clock
    let log: Logger
    let hubs: Hubs
    let recorder: Recorder
    let scout: Scout
    let pulse: Pulse
    let holdings: Holdings
    private let open = Mutex(true)

    init(
        settings: DispatchSettings, clock: Clock, log: Logger, hubs: Hubs, recorder: Recorder, scout: Scout,
        pulse: Pulse, holdings: Holdings
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.hubs = hubs
        self.recorder = recorder
        self.scout = scout
        self.pulse = pulse
        self.holdings = holdings
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
    func insist<T: Sendable>(
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
    func apply(_ effect: Settlement.Effect, to hub: ServedHub, token: SASToken, leftAt: Double) async {
        let now = clock.monotonic()
        let name = hub.settings.name
        defer { hub.clear(now: now) }
        switch effect {
        case .none: break
        case .works:
            hub.keys.worked()
            guard hub.gate.worked(now: now) else { return }
            log.notice("the hub takes posts again", metadata: ["hub": "\(name)"])
            await share("release a hub") { () async throws(DatabaseError) in try await self.hubs.release(hub.id) }
        case .closeGate(let seconds):
            guard hub.gate.close(until: now + seconds, now: now) else { return }
            log.warning("the hub asks everybody to wait", metadata: ["hub": "\(name)", "seconds": "\(seconds)"])
            await share("close a hub's gate") { () async throws(DatabaseError) in
                try await self.hubs.closeGate(hub.id, seconds: seconds)
            }
        case .failed:
            guard let seconds = hub.gate.failed(leftAt: leftAt, now: now) else { return }
            hub.window.shrink()
            log.warning(
                "nothing gets through to the hub; waiting", metadata: ["hub": "\(name)", "seconds": "\(seconds)"])
        case .signAgain:
            switch hub.keys.refused(token, switchKey: { hub.tokens.switchKey(from: token) }) {
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
                await hold(
                    hub, because: "The hub refuses every key we have: check the connection string of hub \(name).")
            }
        case .hold(let why):
            await hold(hub, because: why)
        }
    }

    private func hold(_ hub: ServedHub, because why: String) async {
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
