import PushWorker
import Postgres
import PushModel
import Store

/// The worker's own statements without HTTP between them: claim, intent for as many posts as a window has, completion.
struct BenchStatements: Sendable {
    let database: Database
    let hub: Int32
    let plan: BenchPlan

    /// Messages a claim takes, as a worker's.
    private static let batch: Int32 = 1_000

    private struct Times {
        var claim: [Double] = []
        var intent: [Double] = []
        var completion: [Double] = []
        var messages = 0
    }

    /// Works off everything that is due.
    ///
    /// - Parameter perPost: messages that share a post.
    func run(perPost: Int) async throws -> BenchResults.Statements {
        let workers = Workers(database: database)
        let worker = try await workers.register(name: "bench", version: "bench").id
        let queue = Queue(database: database, worker: worker)
        var times = Times()
        var mark = DuePosition.start
        let began = Clock.system.monotonic()
        while let claim = try await timed(
            &times.claim,
            { try await queue.claim(hub: hub, priority: .normal, after: mark, limit: Self.batch) })
        {
            mark = claim.position
            times.messages += claim.messages.count
            try await carry(claim, perPost: perPost, queue, &times)
        }
        let seconds = Clock.system.monotonic() - began
        _ = try await workers.rescue(worker)
        let statements = times.claim.count + times.intent.count + times.completion.count
        return BenchResults.Statements(
            rate: Double(times.messages) / seconds, claim: Samples(times.claim), intent: Samples(times.intent),
            completion: Samples(times.completion), perMessage: Double(statements) / Double(max(1, times.messages)))
    }

    /// Writes its posts down and records each as accepted.
    private func carry(_ claim: Claim, perPost: Int, _ queue: Queue, _ times: inout Times) async throws {
        let groups = stride(from: 0, to: claim.messages.count, by: perPost).map {
            claim.messages[$0..<min($0 + perPost, claim.messages.count)]
        }
        let posts = groups.enumerated().map { index, messages in
            (
                n: index + 1,
                post: Post(
                    messages: messages.map(\.id), target: messages.first?.target ?? .broadcast,
                    body: Array((messages.first?.content ?? "").utf8))
            )
        }
        for first in stride(from: 0, to: posts.count, by: plan.window) {
            let portion = posts[first..<min(first + plan.window, posts.count)]
            _ = try await timed(&times.intent) { try await queue.intend(portion, under: claim.id) }
        }
        var completion = Completion()
        completion.answered = posts.map { n, post in
            Completion.Answered(
                post: claim.post(n), answer: Answer(verdict: .accepted, status: 201, milliseconds: 1),
                outcome: MessageOutcome(.accepted, .takenByHub), messages: post.messages)
        }
        completion.finished = [claim.id]
        _ = try await timed(&times.completion) { [completion] in try await queue.complete(completion) }
    }

    private func timed<T>(_ seconds: inout [Double], _ body: () async throws -> T) async throws -> T {
        let began = Clock.system.monotonic()
        let value = try await body()
        seconds.append(Clock.system.monotonic() - began)
        return value
    }
}
