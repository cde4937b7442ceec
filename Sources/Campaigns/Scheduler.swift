import Logging
import Postgres
import Store

/// Starts campaigns at the times of their schedules, by the database's clock. One in every worker; there is no leader: a
/// campaign is moved to its next time by compare-and-set in the transaction that starts its run, so that one worker fires
/// and the others find it done.
public struct Scheduler: Sendable {
    /// Seconds between two looks, at most: one statement of an idle worker.
    static let pause = 1.0
    /// Campaigns in one transaction. More would keep an edit of one of them waiting.
    static let batch: Int32 = 50
    /// Seconds until a campaign that could not be worked out is tried again: tzdata may have been updated.
    static let doubtPause = 60.0

    private let schedules: Schedules
    private let zones: TimeZones
    private let monotonic: @Sendable () -> Double
    private let log: Logger
    private let count: @Sendable (_ state: String, _ times: Int) -> Void

    /// - Parameters:
    ///   - monotonic: seconds that never jump.
    ///   - count: is told of each time that came: the state of its run, as `push.run_state`, or `missed`. Default: nobody
    ///     counts.
    public init(
        schedules: Schedules, monotonic: @escaping @Sendable () -> Double, log: Logger,
        count: @escaping @Sendable (_ state: String, _ times: Int) -> Void = { _, _ in }
    ) {
        (self.schedules, self.zones, self.monotonic, self.log) = (schedules, TimeZones(), monotonic, log)
        self.count = count
    }

    /// Whether this machine has time zones at all.
    ///
    /// - Throws: `TimeZoneError`: campaigns must not start at hours of UTC because tzdata is missing.
    package static func checkZones() throws(TimeZoneError) {
        try TimeZones().check()
    }

    /// Works until its task is cancelled.
    public func run() async {
        var doubted: [Int32: Double] = [:]
        var faults = 0
        while !Task.isCancelled {
            var pause = Self.pause
            do throws(DatabaseError) {
                pause = try await fire(&doubted)
                faults = 0
            } catch {
                guard !Task.isCancelled else { return }
                faults += 1
                if faults == 1 || faults % 20 == 0 {
                    log.error("cannot look for campaigns that are due; trying again", metadata: ["error": "\(error)"])
                }
                pause = min(5, Double(faults))
            }
            // Cancellation ends the loop.
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Starts everything that is due now, and returns.
    public func fireDue() async throws(DatabaseError) {
        var doubted: [Int32: Double] = [:]
        while !Task.isCancelled, try await fire(&doubted) == 0 {}
    }

    /// One look, and what it found.
    ///
    /// - Parameter doubted: campaigns that cannot be worked out here, and until when they are left out.
    /// - Returns: seconds until the next look; 0: more is due.
    private func fire(_ doubted: inout [Int32: Double]) async throws(DatabaseError) -> Double {
        let now = monotonic()
        doubted = doubted.filter { $0.value > now }
        let look = try await schedules.look(atMost: Self.batch, except: Array(doubted.keys))
        let pause = min(Self.pause, look.next.map { max(0.001, $0 - look.clock) } ?? Self.pause)
        guard !look.due.isEmpty else { return pause }
        var moves: [Schedules.Move] = []
        for due in look.due {
            do throws(ScheduleError) {
                moves.append(try Schedule(due.text, in: zones).move(due, now: look.clock))
            } catch {
                doubted[due.campaign] = now + Self.doubtPause
                try await doubt(due, error)
            }
        }
        if moves.isEmpty { return 0 }
        let fired = try await schedules.fire(moves)
        for each in fired { say(each) }
        // Others are at the rest, or hold the rows to edit them.
        return fired.isEmpty ? 0.05 : 0
    }

    private func doubt(_ due: Schedules.Due, _ error: ScheduleError) async throws(DatabaseError) {
        guard try await schedules.doubt(due.campaign, because: "\(error)") else { return }
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
