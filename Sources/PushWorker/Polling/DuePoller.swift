import Logging
import Postgres
import PushModel
import Store

/// Looks for work on behalf of all idle lanes with one statement, and reads the hubs' gates. May sleep meanwhile (`PollSchedule`).
actor DuePoller {
    private struct Idle {
        let hub: HubContext
        let priority: Priority
        var walk: DueCursor
        let wake: CheckedContinuation<DueCursor, Never>
    }

    private let queue: Queue
    private let hubs: Hubs
    private let served: [HubContext]
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private var idle: [Int: Idle] = [:]
    private var statesAt = -Double.infinity
    private var doze = PollSchedule()
    /// Whether `push.worker` says that we sleep; nil: we cannot know.
    private var said: Bool? = false
    /// Monotonic seconds.
    private var looksAt = -Double.infinity
    /// Lanes that were not looked for, because of their hubs' gates.
    private var unasked: [Int] = []
    private var nap: Task<Void, Never>?
    /// Workers that began together do not ask together for ever.
    private var spread = 1.0
    private var ended = false

    init(queue: Queue, hubs: Hubs, served: [HubContext], settings: DispatchSettings, clock: Clock, log: Logger) {
        self.queue = queue
        self.hubs = hubs
        self.served = served
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    var idleLanes: Int { idle.count }

    var isAsleep: Bool { doze.state == .asleep }

    /// Waits until the lane has something due and its hub's gate is open, or the scout ends.
    ///
    /// - Returns: the lane's walk, gone on.
    func due(_ lane: Int, hub: HubContext, priority: Priority, walk: DueCursor) async -> DueCursor {
        if ended { return walk }
        return await withCheckedContinuation { continuation in
            idle[lane] = Idle(hub: hub, priority: priority, walk: walk, wake: continuation)
        }
    }

    /// Messages went back with old due times: everybody looks from the beginning once.
    func startOver() {
        for lane in idle.keys { idle[lane]?.walk.startAnew() }
        doze.disturbed(now: clock.monotonic())
        rouse()
    }

    /// Somebody called `push.wake_up()`, or it is known anew whether we would hear that.
    func heard(isListening: Bool) {
        doze.heard(isListening: isListening, now: clock.monotonic())
        rouse()
    }

    /// Reads gates and keys for the first time, so that no lane posts to a hub that others know to be closed, or with a
    /// key that it no longer takes. A database that cannot be asked now is asked again by `run`.
    func begin() async {
        do {
            try await readGates()
        } catch {
            log.warning("cannot read the hubs' gates yet", metadata: ["error": "\(error)"])
        }
    }

    /// Reads gates and looks for due messages until `end`.
    func run() async {
        var faults = 0
        while !ended {
            do {
                try await readGates()
                if clock.monotonic() >= looksAt || hasReopened {
                    try await look()
                    try await say()
                    looksAt = clock.monotonic() + untilNextLook
                }
                faults = 0
                await pause(untilNextTurn)
            } catch {
                faults += 1
                doze.disturbed(now: clock.monotonic())
                looksAt = -.infinity
                if faults == 1 || faults % 20 == 0 {
                    log.error("cannot look for due messages; trying again", metadata: ["error": "\(error)"])
                }
                await pause(settings.backoff.delay(attempt: min(faults, 4), random: 1))
            }
        }
        // Nobody shall call a worker that does not listen any more. If this fails, it goes with the worker's row.
        doze.disturbed(now: clock.monotonic())
        try? await say()
    }

    /// Wakes every lane, so that it can see that there is nothing more to do.
    func end() {
        ended = true
        for lane in idle.values { lane.wake.resume(returning: lane.walk) }
        idle.removeAll()
        rouse()
    }

    private var untilNextLook: Double {
        let awake = settings.pollSeconds * max(1, Double(served.count * 3) / 32)
        return doze.pause(awake: awake, asleep: settings.asleepSeconds) * Double.random(in: 0.8...1)
    }

    /// Who sleeps reads the gates as often as ever, and looks when one opens.
    private var untilNextTurn: Double {
        let now = clock.monotonic()
        guard doze.state == .asleep else { return looksAt - now }
        let opens = unasked.compactMap { idle[$0]?.hub.gate.opens(after: now) }
        return min(looksAt - now, statesAt + 0.5 * spread - now, opens.min() ?? .infinity)
    }

    private var hasReopened: Bool {
        let now = clock.monotonic()
        return unasked.contains { idle[$0]?.hub.gate.isOpen(now: now) ?? false }
    }

    private func pause(_ seconds: Double) async {
        // Ends early only by cancellation, or asleep by `rouse`; the loop goes by `ended` and `looksAt`.
        guard doze.state == .asleep else {
            try? await Task.sleep(for: .seconds(seconds))
            return
        }
        guard !ended else { return }
        let nap = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
        self.nap = nap
        await nap.value
        self.nap = nil
    }

    /// The next look is now; awake it is near enough.
    private func rouse() {
        looksAt = -.infinity
        nap?.cancel()
    }

    /// Says that we sleep before we do, and that we woke once what was due is on its way.
    private func say() async throws(DatabaseError) {
        let isAsleep = doze.saysSo
        guard isAsleep != said else { return }
        said = nil
        if try await queue.say(isAsleep: isAsleep) {
            said = isAsleep
        } else if isAsleep {
            doze.disturbed(now: clock.monotonic())
        }
    }

    private func look() async throws(DatabaseError) {
        let now = clock.monotonic()
        var lanes: [Int] = []
        unasked.removeAll(keepingCapacity: true)
        for (lane, waiting) in idle {
            if waiting.hub.gate.isOpen(now: now) { lanes.append(lane) } else { unasked.append(lane) }
        }
        lanes.sort()
        guard !lanes.isEmpty else { return doze.looked(isQuiet: idle.count == allLanes, now: now) }
        var kinds: [Int: DueCursor.Kind] = [:]
        for lane in lanes { kinds[lane] = idle[lane]?.walk.begin(now: now, wall: clock.wall()) }
        let found = try await queue.probe(
            lanes.compactMap { lane in idle[lane].map { ($0.hub.id, $0.priority, $0.walk.mark) } })
        let seconds = clock.monotonic() - now
        for (position, lane) in lanes.enumerated() {
            guard var waiting = idle[lane], let kind = kinds[lane] else { continue }
            waiting.walk.ended(kind, seconds: seconds, at: nil)
            idle[lane] = waiting
            guard found.contains(position) else { continue }
            idle[lane] = nil
            waiting.wake.resume(returning: waiting.walk)
        }
        doze.looked(isQuiet: found.isEmpty && idle.count == allLanes, now: clock.monotonic())
    }

    private var allLanes: Int { min(served.count * Priority.allCases.count, settings.lanes) }

    /// A person may hold the hub's row in an open transaction: the other hubs do not wait for that, and it is told again.
    private func tell(_ hub: HubContext) async {
        do {
            try await hub.tell(hubs)
        } catch {
            log.warning(
                "cannot tell the other workers which key a hub takes; trying again",
                metadata: ["hub": "\(hub.settings.name)", "error": "\(error)"])
        }
    }

    private func readGates() async throws(DatabaseError) {
        let now = clock.monotonic()
        guard now - statesAt >= 0.5 * spread else { return }
        spread = Double.random(in: 0.8...1)
        statesAt = now
        // First what we know and the others do not: else their answer would take it back.
        for hub in served { await tell(hub) }
        let states = Dictionary(uniqueKeysWithValues: try await hubs.states().map { ($0.hub, $0) })
        for hub in served {
            guard let state = states[hub.id] else { continue }
            hub.gate.learn(state, now: clock.monotonic())
            if hub.follow(state.key, askedAt: now) {
                log.notice(
                    "all workers sign with the other key now",
                    metadata: ["hub": "\(hub.settings.name)", "key": "\(state.key)"])
            }
            hub.clear(now: clock.monotonic())
            if hub.learn(state, askedAt: now) {
                log.notice("back at full speed", metadata: ["hub": "\(hub.settings.name)", "rate": "\(hub.rate)"])
            }
            if hub.rate > 0 { await RateLimiter(hub: hub, hubs: hubs, log: log).giveBack() }
            guard state.hold != nil, state.pausedBy == nil, (state.probe ?? 0) <= 0 else { continue }
            if try await hubs.takeProbe(hub.id, next: settings.probeSeconds) {
                hub.gate.probe(within: settings.probeSeconds, now: now)
            }
        }
    }
}
