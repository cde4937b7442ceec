import Concurrency
import Logging
import Postgres
import Store
import Synchronization

/// Makes messages of the audiences of running campaigns, in slices just ahead of sending. One in every worker; there is no
/// leader: the row of a stream is locked while it is expanded.
public struct Expander: Sendable {
    /// Seconds between two looks for streams while a campaign runs.
    static let pause = 0.1
    /// Seconds between two looks for streams while none does.
    static let idlePause = 0.5
    /// Seconds after which a stream gives its place to others.
    static let turn = 1.0

    private let runs: Runs
    private let hubs: [Int32]
    private let keeper: RunKeeper
    private let monotonic: @Sendable () -> Double
    private let log: Logger
    private let work = Work()

    /// What the loop and the expansions share.
    private final class Work: Sendable {
        struct State {
            var places = ExpansionPlaces()
            var ahead: [Int64: ExpansionPace] = [:]
            var counts: [Int64: AudienceCount] = [:]
            var failed = FailedPages()
            var fault: DatabaseError?
            /// When stuck reads were ended last, in monotonic seconds.
            var endedStuck = -Double.infinity
        }
        let state = Mutex(State())
    }

    /// Connections that `runs` needs for expansions beside each other, and one to look for streams.
    public static let connections = ExpansionPlaces.most + 1

    /// - Parameters:
    ///   - runs: with `connections` connections of its own, because a page of an audience may take seconds.
    ///   - hubs: `push.hub.id` of those that this worker serves.
    ///   - keeper: looks at its runs again soon when an audience ends.
    ///   - monotonic: seconds that never jump.
    public init(
        runs: Runs, hubs: [Int32], keeper: RunKeeper, monotonic: @escaping @Sendable () -> Double, log: Logger
    ) {
        (self.runs, self.hubs, self.keeper, self.monotonic, self.log) = (runs, hubs, keeper, monotonic, log)
    }

    /// Works until its task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            var pace = FaultPace()
            var looked = monotonic()
            while !Task.isCancelled {
                var pause = Self.idlePause
                do throws(DatabaseError) {
                    if monotonic() - looked > Double(runs.pageSeconds) {
                        looked = monotonic()
                        try await endStuckReads()
                    }
                    if let fault = work.state.withLock({ $0.fault.take() }) { throw fault }
                    let streams = try await runs.streams(of: hubs)
                    for stream in begin(streams) {
                        group.addTask { await expand(stream) }
                    }
                    let isIdle = work.state.withLock { $0.places.isEmpty }
                    if !streams.isEmpty || !isIdle { pause = Self.pause }
                    pace.succeeded()
                } catch {
                    guard !Task.isCancelled else { return }
                    if pace.failed() {
                        log.error("cannot expand campaigns; trying again", metadata: ["error": "\(error)"])
                    }
                    pause = pace.pause
                }
                await Sleep.system(pause)
            }
        }
    }

    private func endStuckReads() async throws(DatabaseError) {
        // A page may lose its session before the answer is here.
        let before = work.state.withLock { state in
            defer { state.endedStuck = monotonic() }
            return state.endedStuck
        }
        var ended = Int64(0)
        defer { if ended == 0 { work.state.withLock { $0.endedStuck = before } } }
        ended = try await runs.endStuckReads()
        guard ended > 0 else { return }
        log.error("ended sessions whose view could not be cancelled", metadata: ["sessions": "\(ended)"])
    }

    private func begin(_ streams: [Runs.Stream]) -> [Runs.Stream] {
        work.state.withLock { state in
            let beginning = Set(state.places.begin(streams.map(\.id), now: monotonic()))
            let known = Set(streams.map(\.id))
            state.ahead = state.ahead.filter { known.contains($0.key) }
            state.counts = state.counts.filter { known.contains($0.key) }
            state.failed.keep(known)
            return streams.filter { beginning.contains($0.id) }
        }
    }

    /// Expands until enough waits, or others want the place.
    private func expand(_ stream: Runs.Stream) async {
        var (stream, slowest) = (stream, 0.0)
        let begun = monotonic()
        while !Task.isCancelled, monotonic() - begun < Self.turn {
            let at = monotonic()
            let rows = await page(of: stream)
            slowest = max(slowest, monotonic() - at)
            guard let rows, rows > 0 else { break }
            stream.ahead += rows
            stream.expanded += Int64(rows)
        }
        work.state.withLock { $0.places.end(stream.id, slowest: slowest) }
    }

    private func next(_ stream: Runs.Stream) -> Int? {
        work.state.withLock { state in
            state.ahead[stream.id, default: ExpansionPace()].next(
                ahead: stream.ahead, expanded: stream.expanded, rate: stream.rate, now: monotonic(),
                streams: stream.streams)
        }
    }

    /// - Returns: messages made; nil: enough wait, the audience has ended, or it cannot be read now.
    private func page(of stream: Runs.Stream) async -> Int? {
        let at = monotonic()
        do throws(DatabaseError) {
            if stream.leftOut != nil {
                if try await runs.leaveOut(stream.id) != nil { keeper.lookSoon() }
                return nil
            }
            if let why = try await faultOfCount(stream) {
                try await pause(stream, .audienceRepeats, why)
                return nil
            }
            guard let n = next(stream) else { return nil }
            let expansion = try await runs.expand(stream.id, upTo: n)
            work.state.withLock { $0.failed.passed(stream.id) }
            if expansion.isExpanded { keeper.lookSoon() }
            return expansion.isExpanded ? nil : expansion.rows
        } catch {
            if Task.isCancelled { return nil }
            let endedStuck = work.state.withLock { $0.endedStuck }
            switch PageFault(
                error, seconds: runs.pageSeconds, isStuck: endedStuck - at >= Double(2 * runs.pageSeconds))
            {
            case .stopped: break
            case .passes(let why):
                if work.state.withLock({ $0.failed.failed(stream.id) }) { await stop(stream, why) }
            case .outage: work.state.withLock { $0.fault = error }
            case .pause(let why): await stop(stream, why)
            }
            return nil
        }
    }

    /// Why the run pauses: it made more messages than its audience has rows; nil: as far as is known, it did not.
    private func faultOfCount(_ stream: Runs.Stream) async throws(DatabaseError) -> String? {
        let made = stream.expanded
        let isDue = work.state.withLock {
            $0.counts[stream.id, default: AudienceCount()].isDue(made: made, limit: stream.countAt)
        }
        guard isDue else { return nil }
        let rows = try await runs.countAudience(of: stream.id, upTo: made)
        return work.state.withLock {
            $0.counts[stream.id, default: AudienceCount()].fault(made: made, rows: rows)
        }
    }

    /// The audience cannot be read: a person has to fix it.
    private func stop(_ stream: Runs.Stream, _ why: String) async {
        do throws(DatabaseError) {
            try await pause(stream, .audienceFails, why)
        } catch {
            work.state.withLock { $0.fault = error }
        }
    }

    private func pause(_ stream: Runs.Stream, _ event: RunEvent, _ why: String) async throws(DatabaseError) {
        guard try await runs.stop(stream.id, event: event.rawValue, because: why) else { return }
        keeper.lookSoon()
        log.error(
            "paused a campaign",
            metadata: ["campaign": "\(stream.campaign)", "run": "\(stream.key)", "why": "\(why)"])
    }
}
