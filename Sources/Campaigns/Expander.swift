import Logging
import Postgres
import Store

/// Makes messages of the audiences of running campaigns, in slices just ahead of sending, and looks after runs until they
/// are over. One in every worker; there is no leader: the row of a stream is locked while it is expanded.
public struct Expander: Sendable {
    /// Seconds between two looks while a campaign runs.
    static let pause = 0.1
    /// Seconds between two looks while none does.
    static let idlePause = 0.5
    /// Seconds between two times of looking after runs, while some are open and while none is.
    static let tendPause = (busy: 1.0, idle: 2.0)

    private let runs: Runs
    private let hubs: [Int16]
    private let monotonic: @Sendable () -> Double
    private let log: Logger

    /// - Parameters:
    ///   - runs: with a connection of its own, because a page of an audience may take seconds.
    ///   - hubs: `push.hub.id` of those that this worker serves.
    ///   - monotonic: seconds that never jump.
    public init(runs: Runs, hubs: [Int16], monotonic: @escaping @Sendable () -> Double, log: Logger) {
        (self.runs, self.hubs, self.monotonic, self.log) = (runs, hubs, monotonic, log)
    }

    /// Works until its task is cancelled.
    public func run() async {
        var ahead: [Int64: Ahead] = [:]
        var tendAt = -Double.infinity
        var faults = 0
        while !Task.isCancelled {
            var pause = Self.idlePause
            do throws(DatabaseError) {
                if monotonic() >= tendAt {
                    let open = try await tend()
                    tendAt = monotonic() + (open ? Self.tendPause.busy : Self.tendPause.idle)
                }
                let streams = try await runs.streams(of: hubs)
                ahead = ahead.filter { known in streams.contains { $0.id == known.key } }
                for stream in streams {
                    pause = Self.pause
                    if try await expand(stream, &ahead[stream.id, default: Ahead()]) {
                        tendAt = -.infinity
                    }
                }
                if !ahead.isEmpty { tendAt = min(tendAt, monotonic() + Self.tendPause.busy) }
                faults = 0
            } catch {
                guard !Task.isCancelled else { return }
                faults += 1
                if faults == 1 || faults % 20 == 0 {
                    log.error("cannot look after campaigns; trying again", metadata: ["error": "\(error)"])
                }
                pause = min(5, Double(faults))
            }
            // Cancellation ends the loop.
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Expands until enough waits.
    ///
    /// - Returns: whether the audience is through.
    private func expand(_ stream: Runs.Stream, _ ahead: inout Ahead) async throws(DatabaseError) -> Bool {
        var stream = stream
        while !Task.isCancelled,
            let n = ahead.next(
                ahead: stream.ahead, expanded: stream.expanded, rate: stream.rate, now: monotonic(),
                streams: stream.streams)
        {
            let expansion: Runs.Expansion
            do throws(DatabaseError) {
                expansion = try await runs.expand(stream.id, upTo: n)
            } catch {
                if error.is(.serializationFailure) { return false }  // somebody paused or cancelled it
                if error.isTransient && !error.is(.queryCancelled) { throw error }
                return try await stop(stream, error)
            }
            if expansion.isThrough { return true }
            if expansion.rows == 0 { return false }
            stream.ahead += expansion.rows
            stream.expanded += Int64(expansion.rows)
        }
        return false
    }

    /// The audience cannot be read: a person has to see to it.
    private func stop(_ stream: Runs.Stream, _ error: DatabaseError) async throws(DatabaseError) -> Bool {
        let why =
            error.is(.queryCancelled)
            ? "a page of its audience took longer than \(Runs.pageSeconds) s; fanfare campaign check says whether an "
                + "index is missing"
            : "its audience cannot be read: \(error.why)"
        if try await runs.stop(stream.id, because: why) {
            log.error(
                "paused a campaign",
                metadata: ["campaign": "\(stream.campaign)", "run": "\(stream.key)", "why": "\(why)"])
        }
        return false
    }

    /// - Returns: whether some runs are open.
    private func tend() async throws(DatabaseError) -> Bool {
        let tended = try await runs.tend()
        for run in tended {
            let about: Logger.Metadata = ["campaign": "\(run.campaign)", "run": "\(run.key)", "state": "\(run.state)"]
            if let why = run.why {
                log.notice("a campaign is \(run.state)", metadata: about.merging(["why": "\(why)"]) { $1 })
            } else if run.state == "done" {
                log.notice("a campaign is done", metadata: about)
            }
        }
        return !tended.isEmpty
    }
}
