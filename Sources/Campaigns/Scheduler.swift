import Concurrency
import Logging
import Postgres
import Store
import Synchronization

/// Starts campaigns at the times of their schedules, by the database's clock. One in every worker; there is no leader: a
/// campaign is moved to its next time by compare-and-set in the transaction that starts its run, so that one worker fires
/// and the others find it done.
public struct Scheduler: Sendable {
    /// Seconds between two looks, at most: one statement of an idle worker.
    static let pause = 1.0
    /// Campaigns in one transaction. More would keep an edit of one of them waiting.
    static let batch: Int32 = 50
    /// Seconds that they may take. One that takes longer begins by itself, for `seconds` at most.
    static let batchSeconds = 5
    /// Seconds until a campaign that could not be worked out or started is tried again: tzdata may have been updated.
    static let doubtPause = 60.0
    /// Connections that it needs: one to look, and one for a campaign that takes long to start.
    public static let connections = 2

    private let schedules: Schedules
    private let zones: TimeZones
    private let monotonic: @Sendable () -> Double
    private let log: Logger
    private let count: @Sendable (_ state: String, _ times: Int) -> Void
    private let seconds: Int
    private let work = Work()

    private final class Work: Sendable {
        let places = Mutex(StartPlaces())
    }

    /// - Parameters:
    ///   - schedules: with `connections` connections of its own, because to start a campaign its audience may be counted.
    ///   - monotonic: seconds that never jump.
    ///   - seconds: how long the start of one campaign may take. Default: 30.
    ///   - count: is called for each time that came, with the state of its run, as `push.run_state`, or `missed`.
    ///     Default: nobody counts.
    public init(
        schedules: Schedules, monotonic: @escaping @Sendable () -> Double, log: Logger, seconds: Int = 30,
        count: @escaping @Sendable (_ state: String, _ times: Int) -> Void = { _, _ in }
    ) {
        (self.schedules, self.zones, self.monotonic, self.log) = (schedules, TimeZones(), monotonic, log)
        (self.count, self.seconds) = (count, seconds)
    }

    /// Whether this machine has time zones at all.
    ///
    /// - Throws: `TimeZoneError`: campaigns must not start at hours of UTC because tzdata is missing.
    package static func checkZones() throws(TimeZoneError) {
        try TimeZones().check()
    }

    /// Works until its task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            var pace = FaultPace()
            while !Task.isCancelled {
                var pause = Self.pause
                do throws(DatabaseError) {
                    let look = try await look()
                    if let alone = look.alone { group.addTask { await start(alone) } }
                    pause = look.pause
                    pace.succeeded()
                } catch {
                    guard !Task.isCancelled else { return }
                    if pace.failed() {
                        log.error(
                            "cannot look for campaigns that are due; trying again", metadata: ["error": "\(error)"])
                    }
                    pause = pace.pause
                }
                await Sleep.system(pause)
            }
        }
    }

    /// Starts everything that is due now, and returns.
    public func fireDue() async throws(DatabaseError) {
        while !Task.isCancelled {
            let look = try await look()
            if let alone = look.alone { await start(alone) } else if look.pause > 0 { return }
        }
    }

    /// One look, and what it found.
    ///
    /// - Returns: seconds until the next look; 0: more is due. And a campaign that is to be started by itself.
    private func look() async throws(DatabaseError) -> (pause: Double, alone: Schedules.Move?) {
        let now = monotonic()
        let look = try await schedules.look(atMost: Self.batch, except: work.places.withLock { $0.leftOut(now: now) })
        let pause = min(Self.pause, look.next.map { max(0.001, $0 - look.clock) } ?? Self.pause)
        guard !look.due.isEmpty else { return (pause, nil) }
        var moves: [Schedules.Move] = []
        for due in look.due {
            do throws(ScheduleError) {
                moves.append(try Schedule(due.text, in: zones).move(due, now: look.clock))
            } catch {
                work.places.withLock { $0.doubt(due.campaign, until: now + Self.doubtPause) }
                try await doubt(due, error)
            }
        }
        let (together, alone) = work.places.withLock { [moves] in $0.divide(moves) }
        if together.isEmpty { return (0, alone) }
        let fired = try await fire(together)
        // Others are at the rest, or hold the rows to edit them.
        return (fired > 0 || alone != nil ? 0 : 0.05, alone)
    }

    /// Starts them together, or one after the other where one takes too long: the others must not wait for it at each look.
    ///
    /// - Returns: how many were moved, or will be.
    private func fire(_ moves: [Schedules.Move]) async throws(DatabaseError) -> Int {
        let (began, most) = (monotonic(), min(seconds, Self.batchSeconds))
        do throws(DatabaseError) {
            let fired = try await schedules.fire(moves, within: most)
            for each in fired { say(each) }
            return fired.count
        } catch {
            // Code of a view may catch the end of its time; then its session is ended (Runs.endStuckReads).
            let tookLong = error.is(.queryCancelled) || error.isTransient && monotonic() - began >= Double(most)
            guard tookLong, !Task.isCancelled else { throw error }
            if moves.count == 1 {
                work.places.withLock { $0.tookLong(moves[0].campaign) }
                return 1
            }
            var moved = 0
            for move in moves { moved += try await fire([move]) }
            return moved
        }
    }

    /// Starts one by itself. If it cannot be started, its schedule says why and it is tried again later.
    private func start(_ move: Schedules.Move) async {
        let began = monotonic()
        do throws(DatabaseError) {
            for each in try await schedules.fire([move], within: seconds) { say(each) }
        } catch {
            // Any other error shows again at the next look.
            if monotonic() - began >= Double(seconds), !Task.isCancelled {
                work.places.withLock { $0.doubt(move.campaign, until: monotonic() + Self.doubtPause) }
                let why =
                    "it cannot start: reading its audience takes longer than \(seconds) s; tried again every "
                    + "\(Int(Self.doubtPause)) s, and fanfare campaign check says whether an index is missing"
                log.error("cannot start a campaign", metadata: ["number": "\(move.campaign)", "why": "\(why)"])
                // If it cannot be recorded now, the next try does that.
                _ = try? await schedules.doubt(move.campaign, because: why)
            }
        }
        work.places.withLock { $0.ended(move.campaign, seconds: monotonic() - began) }
    }

    private func doubt(_ due: Schedules.Due, _ error: ScheduleError) async throws(DatabaseError) {
        let isNew = try await schedules.doubt(
            due.campaign, because: "no worker can work out its next time: \(error)")
        guard isNew else { return }
        log.error(
            "cannot work out when a campaign starts", metadata: ["campaign": "\(due.name)", "why": "\(error)"])
    }

    private func say(_ fired: Schedules.Fired) {
        guard let key = fired.key, let state = fired.state else { return }
        var about: Logger.Metadata = ["campaign": "\(fired.campaign)", "run": "\(key)", "state": "\(state)"]
        if let why = fired.why { about["why"] = "\(why)" }
        if fired.missed > 0 {
            count("missed", Int(fired.missed))
            return log.warning("a campaign missed its start", metadata: about)
        }
        count(state, 1)
        switch state {
        case "running": log.notice("a campaign started by its schedule", metadata: about)
        case "failed": log.error("a campaign could not start by its schedule", metadata: about)
        default: log.notice("a campaign is \(state)", metadata: about)
        }
    }
}
