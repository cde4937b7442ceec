import Concurrency
import Logging
import Postgres
import Store

/// Looks for changes of devices for all idle device lanes with one statement; with many hubs, one more finds those that
/// were quiet for a minute (`DormantLanes`). A lane that is idle has no task: `dueLanes` names it when it should begin.
///
/// Rarer than the look for messages: a device that is registered a tenth of a second later is no loss.
actor DevicePoller {
    private struct Idle {
        let hub: Int32
        var cursor: DueCursor
        /// Monotonic seconds.
        let since: Double
    }

    private typealias Dormant = DormantLanes<Int32, Idle>

    /// A lane that has something due.
    struct DueLane: Sendable {
        let hub: Int32
        /// The lane's, advanced.
        let cursor: DueCursor
    }

    /// Seconds between two looks while there is something to do, for up to 32 hubs; with more it grows.
    static let pause = 0.1
    /// Seconds between two looks when nothing was due for `quiet` seconds. The longest pause.
    static let longestPause = 0.5
    static let quiet = 10.0

    nonisolated let queue: DeviceQueue
    nonisolated let pace = DevicePace()
    nonisolated let dueLanes: AsyncStream<DueLane>
    private let starts: AsyncStream<DueLane>.Continuation
    private let hasDormantLanes: Bool
    private let watch: DatabaseWatch
    private let clock: Clock
    private let log: Logger
    private var idle: [Int32: Idle] = [:]
    private var dormant = Dormant()
    private var foundAt = -Double.infinity
    private var sleeping: Task<Void, Never>?
    private var ended = false

    /// - Parameter hubs: how many lanes there are.
    init(queue: DeviceQueue, hubs: Int, watch: DatabaseWatch, clock: Clock, log: Logger) {
        (dueLanes, starts) = AsyncStream.makeStream()
        hasDormantLanes = hubs > Dormant.fewLanes
        self.queue = queue
        self.watch = watch
        self.clock = clock
        self.log = log
    }

    var idleLanes: Int { idle.count + dormant.count }

    /// The lane is idle until `dueLanes` reports that the hub has a change due and takes it.
    func rest(_ hub: Int32, cursor: DueCursor) {
        if ended { return }
        let resting = Idle(hub: hub, cursor: cursor, since: clock.monotonic())
        if hasDormantLanes, cursor.position == .start {  // it has never had anything
            dormant.add(resting, hub)
        } else {
            idle[hub] = resting
        }
    }

    /// Looks until `end`.
    func run() async {
        var pace = FaultPace()
        while !ended {
            do throws(DatabaseError) {
                try await lookForIdle()
                try await lookForDormant()
                pace.succeeded()
            } catch {
                watch.failed(error)
                if pace.failed() {
                    log.error("cannot look for changes of devices; trying again", metadata: ["error": "\(error.why)"])
                }
            }
            let pause = pace.faults == 0 ? untilNextLook : pace.pause
            await sleep(pause * Double.random(in: 0.8...1))
        }
    }

    private var untilNextLook: Double {
        guard clock.monotonic() - foundAt < Self.quiet else { return Self.longestPause }
        return min(Self.longestPause, Self.pause * max(1, Double(idle.count) / 32))
    }

    /// No lane begins any more.
    func end() {
        ended = true
        starts.finish()
        idle.removeAll()
        dormant.removeAll()
        sleeping?.cancel()
    }

    private func sleep(_ seconds: Double) async {
        guard !ended else { return }
        // `end` cuts it short; the loop looks at `ended`.
        let sleeping = Task { await Sleep.system(seconds) }
        self.sleeping = sleeping
        await sleeping.value
        self.sleeping = nil
    }

    private func lookForDormant() async throws(DatabaseError) {
        let began = clock.monotonic()
        guard dormant.isDue(now: began) else { return }
        let due = try await queue.dueHubs()
        watch.answered(began: began)
        let now = clock.monotonic()
        let woken = dormant.looked(due, now: now, seconds: now - began) { _ in true }
        if !woken.isEmpty { foundAt = now }
        for lane in woken { starts.yield(DueLane(hub: lane.hub, cursor: lane.cursor)) }
    }

    private func lookForIdle() async throws(DatabaseError) {
        let now = clock.monotonic()
        if hasDormantLanes {
            for (hub, lane) in idle where now - lane.since >= Dormant.quietSeconds {
                idle[hub] = nil
                dormant.add(lane, hub)
            }
        }
        guard !idle.isEmpty else { return }
        var looks: [Int32: DueCursor.Look] = [:]
        var questions: [DeviceQueue.Question] = []
        for hub in idle.keys.sorted() {
            guard let look = idle[hub]?.cursor.begin(now: now) else { continue }
            looks[hub] = look
            questions.append(DeviceQueue.Question(hub: hub, position: look.position, back: look.back))
        }
        let found = try await queue.look(questions)
        watch.answered(began: now)
        let seconds = clock.monotonic() - now
        if !found.isEmpty { foundAt = clock.monotonic() }
        for (hub, look) in looks {
            guard var waiting = idle[hub] else { continue }
            waiting.cursor.looked(look, seconds: seconds, found: found.contains(hub))
            idle[hub] = waiting
            guard found.contains(hub) else { continue }
            idle[hub] = nil
            starts.yield(DueLane(hub: hub, cursor: waiting.cursor))
        }
    }
}
