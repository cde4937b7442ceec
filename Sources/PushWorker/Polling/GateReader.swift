import Logging
import Postgres
import Store
import Synchronization

/// Reads from the database whether each hub takes posts now, with which key and at what rate, twice a second; and takes the
/// tries of held hubs that are due.
final class GateReader: Sendable {
    /// Seconds between two reads; a random part shorter, because workers that began together should not ask together for
    /// ever.
    private static let pause = 0.5

    private let store: any HubStateStore
    private let hubs: [HubContext]
    private let watch: DatabaseWatch
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private let stateLog: HubStateLog
    /// Monotonic seconds.
    private let next = Mutex(-Double.infinity)
    /// How far the messages of each hub are looked through that it refused during a hold which is over.
    private let refusedMarks = Mutex<[Int32: String]>([:])

    init(
        store: any HubStateStore, hubs: [HubContext], watch: DatabaseWatch, settings: DispatchSettings, clock: Clock,
        log: Logger
    ) {
        self.store = store
        self.hubs = hubs
        self.watch = watch
        self.settings = settings
        self.clock = clock
        self.log = log
        stateLog = HubStateLog(log: log)
    }

    /// When `read` asks the database again, in monotonic seconds.
    var isDueAt: Double { next.withLock { $0 } }

    /// A person may hold the hub's row in an open transaction: the other hubs do not wait for that, and the next round
    /// tries again.
    private func shareKeyChange(of hub: HubContext) async {
        do {
            try await hub.shareKeyChange(store)
        } catch {
            log.warning(
                "cannot record which key a hub takes; trying again",
                metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
        }
    }

    /// A hold or a wait is over: one step, so that the other hubs' gates are read in time, however much is scheduled.
    private func returnRefused(of hub: HubContext) async throws(DatabaseError) {
        let mark = refusedMarks.withLock { $0.removeValue(forKey: hub.id) }
        // The jitter of a retry comes on top of the wait.
        let within = settings.probeSeconds + settings.backoff.cap
        let step = try await store.returnRefused(hub.id, within: within, after: mark)
        refusedMarks.withLock { $0[hub.id] = step.next }
        guard step.messages > 0 else { return }
        log.notice(
            "messages that the hub refused are due again",
            metadata: ["hub": "\(hub.settings.name)", "messages": .stringConvertible(step.messages)])
    }

    /// Reads them when it is time.
    ///
    /// - Throws: `DatabaseError`. Then some hubs may have been read.
    func read() async throws(DatabaseError) {
        let now = clock.monotonic()
        let isFirst = isDueAt == -.infinity
        let isDue = next.withLock { next in
            guard now >= next else { return false }
            next = now + Self.pause * Double.random(in: 0.8...1)
            return true
        }
        guard isDue else { return }
        // First share what the others do not know yet: their older answer would undo it here.
        for hub in hubs where hub.keys.unsharedChange != nil { await shareKeyChange(of: hub) }
        let states = Dictionary(uniqueKeysWithValues: try await store.states().map { ($0.hub, $0) })
        watch.answered(began: now)
        for hub in hubs {
            let state = states[hub.id] ?? Hubs.State(hub: hub.id)
            let wasHeld = hub.gate.isHeld
            hub.gate.learn(state, now: clock.monotonic())
            if wasHeld, !hub.gate.isHeld { hub.passes.tryAgain() }
            stateLog.look(at: hub, now: clock.monotonic())
            if hub.follow(state.key, askedAt: now) {
                // A worker that has just begun knows nothing of a change.
                log.notice(
                    isFirst ? "signs with the key that all workers use" : "all workers sign with the other key now",
                    metadata: ["hub": "\(hub.settings.name)", "key": "\(state.key)"])
            }
            hub.turnAwayIfClosed(now: clock.monotonic())
            let isBack = hub.learn(state, askedAt: now)
            if state.slowed != nil {
                stateLog.began(.slowed, of: hub, because: "the hub throttled", now: clock.monotonic())
            }
            if isBack { stateLog.ended(.slowed, of: hub, now: clock.monotonic()) }
            if hub.rate > 0 { await RateLimiter(hub: hub, hubs: store, log: log).giveBack() }
            if state.hasRefused { try await returnRefused(of: hub) }
            let triesAtOnce = hub.takeTry()
            // A hold without a time for a try is ended by a person.
            guard state.hold != nil, let probe = state.probe, state.pausedBy == nil else { continue }
            if triesAtOnce {
                log.notice(
                    "the settings of a held hub have changed; trying it at once",
                    metadata: ["hub": "\(hub.settings.name)"])
                hub.gate.probe(within: settings.probeSeconds, now: now)
                continue
            }
            guard probe <= 0 else { continue }
            if try await store.takeProbe(hub.id, next: settings.probeSeconds) {
                hub.gate.probe(within: settings.probeSeconds, now: now)
            }
        }
    }
}
