import Logging
import Postgres
import Store

/// Looks for changes of devices for all idle device lanes with one statement.
///
/// Rarer than the look for messages: a device that is registered a tenth of a second later is no loss.
actor DevicePoller {
    private struct Idle {
        var cursor: DueCursor
        let wake: CheckedContinuation<DueCursor, Never>
    }

    /// Seconds between two looks while there is something to do, for up to 32 hubs; with more it grows.
    static let pause = 0.1
    /// Seconds between two looks when nothing was due for `quiet` seconds. The longest pause.
    static let longestPause = 0.5
    static let quiet = 10.0

    nonisolated let queue: DeviceQueue
    nonisolated let pace = DevicePace()
    private let watch: DatabaseWatch
    private let clock: Clock
    private let log: Logger
    private var idle: [Int16: Idle] = [:]
    private var foundAt = -Double.infinity
    private var sleeping: Task<Void, Never>?
    private var ended = false

    init(queue: DeviceQueue, watch: DatabaseWatch, clock: Clock, log: Logger) {
        self.queue = queue
        self.watch = watch
        self.clock = clock
        self.log = log
    }

    var idleLanes: Int { idle.count }

    /// Waits until the hub has a change due and takes it, or until `end`.
    ///
    /// - Returns: the lane's cursor, advanced.
    func waitUntilDue(_ hub: Int16, cursor: DueCursor) async -> DueCursor {
        if ended { return cursor }
        return await withCheckedContinuation { idle[hub] = Idle(cursor: cursor, wake: $0) }
    }

    /// Looks until `end`.
    func run() async {
        var faults = 0
        while !ended {
            do throws(DatabaseError) {
                try await look()
                faults = 0
            } catch {
                faults += 1
                watch.failed(error)
                if faults == 1 || faults % 20 == 0 {
                    log.error("cannot look for changes of devices; trying again", metadata: ["error": "\(error.why)"])
                }
            }
            let pause = faults == 0 ? untilNextLook : min(5, Double(faults))
            await sleep(pause * Double.random(in: 0.8...1))
        }
    }

    private var untilNextLook: Double {
        guard clock.monotonic() - foundAt < Self.quiet else { return Self.longestPause }
        return min(Self.longestPause, Self.pause * max(1, Double(idle.count) / 32))
    }

    /// Wakes all lanes, so that they see that the worker stops.
    func end() {
        ended = true
        for lane in idle.values { lane.wake.resume(returning: lane.cursor) }
        idle.removeAll()
        sleeping?.cancel()
    }

    private func sleep(_ seconds: Double) async {
        guard !ended else { return }
        // `end` cuts it short; the loop looks at `ended`.
        let sleeping = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
        self.sleeping = sleeping
        await sleeping.value
        self.sleeping = nil
    }

    private func look() async throws(DatabaseError) {
        guard !idle.isEmpty else { return }
        let now = clock.monotonic()
        var looks: [Int16: DueCursor.Look] = [:]
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
            waiting.wake.resume(returning: waiting.cursor)
        }
    }
}
