import Concurrency
import Logging
import Postgres
import PushModel
import Store

/// Looks for due messages for all idle lanes with one statement, and reads the hubs' gates. May sleep in between
/// (`PollSchedule`).
///
/// An idle lane waits (`waitUntilDue`), or rests: then it has no task, and `dueLanes` names it when it should begin.
actor DuePoller {
    private struct IdleLane {
        let lane: Int
        let hub: HubContext
        let priority: Priority
        var cursor: DueCursor
        /// Monotonic seconds.
        let since: Double
        /// nil: it rests.
        let wake: CheckedContinuation<WaitEnd, Never>?

        /// Seconds until a post of it may leave.
        func opens(after now: Double) -> Double { hub.gate.opens(after: now, isUrgent: priority == .urgent) }
    }

    /// Why a wait has ended.
    struct WaitEnd: Sendable {
        /// The lane's, advanced.
        let cursor: DueCursor
        /// Nothing was due for `DormantLanes.quietSeconds`.
        var isQuiet = false
    }

    /// A lane that rested and has something due.
    struct DueLane: Sendable {
        let lane: Int
        /// The lane's, advanced.
        let cursor: DueCursor
    }

    private typealias Dormant = DormantLanes<Queue.LaneID, IdleLane>

    nonisolated let dueLanes: AsyncStream<DueLane>
    private let starts: AsyncStream<DueLane>.Continuation

    private let queue: any DueStore
    /// The hubs in the database.
    private let store: any HubStateStore
    private let gates: GateReader
    private let hubs: [HubContext]
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private let watch: DatabaseWatch
    private let sleep: Sleep
    private var idle: [Int: IdleLane] = [:]
    private var dormant = Dormant()
    /// Lanes that the last look asked for.
    private var asked = 0
    private var schedule = PollSchedule()
    /// What `push.worker` says about our sleep; nil: unknown.
    private var announcedAsleep: Bool? = false
    /// Monotonic seconds.
    private var lookedAt = -Double.infinity
    private var nextLookAt = -Double.infinity
    /// Lanes the last look left out, because of their hubs' gates.
    private var closedLanes: [Int] = []
    private var sleeping: Task<Void, Never>?
    private var ended = false

    init(
        queue: any DueStore, store: any HubStateStore, hubs: [HubContext], watch: DatabaseWatch,
        settings: DispatchSettings, clock: Clock, log: Logger, sleep: Sleep = .system
    ) {
        (dueLanes, starts) = AsyncStream.makeStream()
        self.queue = queue
        self.store = store
        gates = GateReader(store: store, hubs: hubs, watch: watch, settings: settings, clock: clock, log: log)
        self.hubs = hubs
        self.watch = watch
        self.sleep = sleep
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    var idleLanes: Int { idle.count + dormant.count }

    /// Of the idle ones, those without a task.
    var restingLanes: Int { dormant.count + idle.values.count { $0.wake == nil } }

    var isAsleep: Bool { schedule.state == .asleep }

    /// Waits until the lane has something due and its hub's gate is open, until it is quiet, or until `end`.
    func waitUntilDue(_ lane: Int, hub: HubContext, priority: Priority, cursor: DueCursor) async -> WaitEnd {
        if ended { return WaitEnd(cursor: cursor) }
        return await withCheckedContinuation { continuation in
            idle[lane] = IdleLane(
                lane: lane, hub: hub, priority: priority, cursor: cursor, since: clock.monotonic(), wake: continuation)
            bringForward()
        }
    }

    /// The lane has no task until `dueLanes` reports that something is due and its hub's gate is open.
    func rest(_ lane: Int, hub: HubContext, priority: Priority, cursor: DueCursor) {
        if ended { return }
        let resting = IdleLane(
            lane: lane, hub: hub, priority: priority, cursor: cursor, since: clock.monotonic(), wake: nil)
        if hasDormantLanes {
            dormant.add(resting, Queue.LaneID(hub: hub.id, priority: priority))
        } else {
            idle[lane] = resting
            bringForward()
        }
    }

    private func wake(_ lane: IdleLane) {
        guard let wake = lane.wake else {
            starts.yield(DueLane(lane: lane.lane, cursor: lane.cursor))
            return
        }
        wake.resume(returning: WaitEnd(cursor: lane.cursor))
    }

    /// Messages went back with old due times: all lanes look from the beginning once.
    func startOver() {
        for lane in idle.keys { idle[lane]?.cursor.restart() }
        dormant.change { $0.cursor.restart() }
        dormant.hurry()
        schedule.stayAwake(now: clock.monotonic())
        lookNow()
    }

    /// A backend called `push.wake_up()`, or listening began or ended.
    func signalled(isListening: Bool) {
        schedule.signalled(isListening: isListening, now: clock.monotonic())
        dormant.hurry()
        lookNow()
    }

    /// Reads gates and keys for the first time, so that no lane posts to a hub that others know to be closed, or with a
    /// key that the hub no longer takes. If the database cannot be asked now, `run` asks again.
    func begin() async {
        do {
            try await gates.read()
        } catch {
            log.warning("cannot read the hubs' gates yet", metadata: ["error": "\(error.why)"])
        }
    }

    /// Reads gates and looks for due messages until `end`.
    func run() async {
        var pace = FaultPace()
        while !ended {
            do {
                try await gates.read()
                if clock.monotonic() >= nextLookAt || hasReopened {
                    try await look()
                    try await announce()
                    lookedAt = clock.monotonic()
                    nextLookAt = clock.monotonic() + untilNextLook
                }
                pace.succeeded()
                await pause(untilNextRound)
            } catch {
                let isReported = pace.failed()
                watch.failed(error)
                schedule.stayAwake(now: clock.monotonic())
                nextLookAt = -.infinity
                if isReported {
                    log.error("cannot look for due messages; trying again", metadata: ["error": "\(error.why)"])
                }
                let pause = settings.backoff.delay(attempt: min(pace.faults, 4), random: .random(in: 0.5...1))
                await store.waitUntilBack(atMost: pause, by: clock) { !ended }
            }
        }
        // Backends should not call a worker that no longer listens. If this fails, the flag goes with the worker's row.
        schedule.stayAwake(now: clock.monotonic())
        try? await announce()
    }

    /// Wakes all lanes that wait, so that they see that the worker stops. No lane begins any more.
    func end() {
        ended = true
        starts.finish()
        for lane in idle.values { lane.wake?.resume(returning: WaitEnd(cursor: lane.cursor)) }
        idle.removeAll()
        dormant.removeAll()
        lookNow()
    }

    private var untilNextLook: Double {
        let awake = settings.pollSeconds * max(1, Double(asked) / 32)
        let pause = schedule.pause(awake: awake, asleep: settings.asleepSeconds) * Double.random(in: 0.8...1)
        guard isOnlyDormant, schedule.state == .awake else { return pause }
        return max(pause, dormant.untilLook(now: clock.monotonic()))
    }

    /// Asleep, gates are read as often as ever, and there is a look when one opens.
    private var untilNextRound: Double {
        let now = clock.monotonic()
        guard schedule.state == .asleep else {
            return isOnlyDormant ? min(nextLookAt, gates.isDueAt) - now : nextLookAt - now
        }
        let opens = closedLanes.compactMap { idle[$0]?.opens(after: now) }
        return min(nextLookAt - now, gates.isDueAt - now, opens.min() ?? .infinity)
    }

    private var hasReopened: Bool {
        let now = clock.monotonic()
        return closedLanes.contains { idle[$0].map { $0.opens(after: now) <= 0 } ?? false }
    }

    private func pause(_ seconds: Double) async {
        // Cancellation may cut it short, a long one also `lookNow`: the loop looks at `ended` and `nextLookAt`.
        guard schedule.state == .asleep || isOnlyDormant else {
            await sleep(seconds)
            return
        }
        guard !ended else { return }
        let sleeping = Task { [sleep] in await sleep(seconds) }
        self.sleeping = sleeping
        await sleeping.value
        self.sleeping = nil
    }

    /// Ends a long pause; otherwise the next look is near enough.
    private func lookNow() {
        nextLookAt = -.infinity
        sleeping?.cancel()
    }

    /// A lane has come that is asked for with its cursor: it is looked for as soon as if it had been there before.
    private func bringForward() {
        let next = lookedAt + settings.pollSeconds
        guard schedule.state == .awake, nextLookAt > next, idle.count == 1 else { return }
        nextLookAt = next
        sleeping?.cancel()
    }

    /// Records in `push.worker` that we sleep, before we do, or that we woke, once what was due is on its way.
    private func announce() async throws(DatabaseError) {
        let isAsleep = schedule.announcesSleep
        guard isAsleep != announcedAsleep else { return }
        announcedAsleep = nil
        if try await queue.announce(isAsleep: isAsleep) {
            announcedAsleep = isAsleep
        } else if isAsleep {
            schedule.stayAwake(now: clock.monotonic())
        }
    }

    private func look() async throws(DatabaseError) {
        if schedule.state == .fallingAsleep { dormant.hurry() }  // the last look before it sleeps is for all lanes
        let found = try await lookForIdle()
        let foundDormant = try await lookForDormant()
        schedule.looked(isQuiet: !found && !foundDormant && idleLanes == allLanes, now: clock.monotonic())
    }

    /// - Returns: whether something is due.
    private func lookForDormant() async throws(DatabaseError) -> Bool {
        let began = clock.monotonic()
        guard dormant.isDue(now: began) else { return false }
        let due = try await queue.dueLanes()
        watch.answered(began: began)
        let now = clock.monotonic()
        let woken = dormant.looked(due, now: now, seconds: now - began) { $0.opens(after: now) <= 0 }
        for lane in woken { wake(lane) }
        return !woken.isEmpty
    }

    /// - Returns: whether something is due.
    private func lookForIdle() async throws(DatabaseError) -> Bool {
        let now = clock.monotonic()
        var lanes: [Int] = []
        closedLanes.removeAll(keepingCapacity: true)
        for (lane, waiting) in idle {
            if let wake = waiting.wake, now - waiting.since >= Dormant.quietSeconds {
                idle[lane] = nil
                wake.resume(returning: WaitEnd(cursor: waiting.cursor, isQuiet: true))
            } else if waiting.opens(after: now) <= 0 {
                lanes.append(lane)
            } else {
                closedLanes.append(lane)
            }
        }
        lanes.sort()
        asked = lanes.count
        guard !lanes.isEmpty else { return false }
        var looks: [(lane: Int, look: DueCursor.Look)] = []
        var questions: [Queue.Question] = []
        for lane in lanes {
            guard var waiting = idle[lane] else { continue }
            let look = waiting.cursor.begin(now: now)
            idle[lane] = waiting
            looks.append((lane, look))
            questions.append(
                Queue.Question(
                    hub: waiting.hub.id, priority: waiting.priority, position: look.position, back: look.back))
        }
        let found = try await queue.look(questions)
        watch.answered(began: now)
        let seconds = clock.monotonic() - now
        for (index, (lane, look)) in looks.enumerated() {
            guard var waiting = idle[lane] else { continue }
            waiting.cursor.looked(look, seconds: seconds, found: found.contains(index))
            idle[lane] = waiting
            guard found.contains(index) else { continue }
            idle[lane] = nil
            wake(waiting)
        }
        return !found.isEmpty
    }

    private var allLanes: Int { hubs.count * Priority.allCases.count }

    private var hasDormantLanes: Bool { allLanes > Dormant.fewLanes }

    private var isOnlyDormant: Bool { idle.isEmpty && dormant.count > 0 }
}
