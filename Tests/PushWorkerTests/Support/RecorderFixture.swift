import PushModel
import Store
import Telemetry
import TestSupport

@testable import PushWorker

/// A recorder over a database in memory, in time that passes only while it sleeps.
struct RecorderFixture: Sendable {
    let results = MemoryResults()
    let time = ManualTime()
    let log = LogRecorder()
    let ownClaims = OwnClaims()
    let watch: DatabaseWatch
    let recorder: Recorder

    init() {
        let clock = time.clock
        watch = DatabaseWatch(clock: clock, log: log.logger)
        let events = LaneEvents(
            ownClaims: ownClaims, watch: watch, metrics: WorkerMetrics(MetricsRegistry()), clock: clock,
            log: log.logger)
        recorder = Recorder(
            queue: results, events: events, settings: DispatchSettings(), clock: clock, sleep: time.sleep,
            log: log.logger)
    }

    /// Runs the recorder while `body` runs, then ends it and waits until it has ended.
    func whileRecording(_ body: () async throws -> Void) async throws {
        let running = Beside { [recorder] in await recorder.run() }
        do {
            try await body()
            await recorder.end()
            try await running.untilOver("a recorder that ends")
        } catch {
            results.onStatement { _ in .taken }  // so that it ends although the test failed
            await recorder.end()
            throw error
        }
    }

    /// Ends the recorder, and runs it until it has.
    func runToEnd() async throws {
        await recorder.end()
        try await whileRecording {}
    }

    func untilRecorded(_ entries: Int) async throws {
        try await Awaited.until("\(entries) recorded entries") {
            let count = results.recorded.count
            return (count, count >= entries)
        }
    }

    func untilGivenUp(_ entries: Int) async throws {
        try await Awaited.until("\(entries) entries that are given up") {
            let count = results.givenUp.count
            return (count, count >= entries)
        }
    }
}

extension Completion.Answered {
    /// An accepted post of one message, which has the number of the post.
    static func accepted(_ n: Int, of claim: Int64, tracking: String? = "tracking") -> Completion.Answered {
        let post = claim * Int64(Claim.mostPosts + 1) + Int64(n)
        return Completion.Answered(
            post: post, answer: Answer(verdict: .accepted, status: 201, tracking: tracking),
            outcome: MessageOutcome(.accepted, .takenByHub), messages: [post])
    }
}

extension Completion {
    var posts: [Int64] { answered.map(\.post) }

    /// Whether it holds an answer of this claim.
    func answers(_ claim: Int64) -> Bool { answered.contains { Claim.of(post: $0.post) == claim } }
}
