import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A run in a real database, and what persons and workers do to it one step after the other, or two at the same time.
final class RunHistory {
    enum Step: CaseIterable {
        case expand, expandAtOnce, claim, accept, reject, giveBack, die, pause, resume, cancel, goOn, goOnAtOnce,
            walkAway
        case look, lookAtOnce, retry, resolve, rate, timeIsUp
    }

    /// A person in the middle of calls that go on.
    struct Person {
        var steering: CampaignStore.Steering
        var next: String
    }

    let store: StoreFixture
    let campaigns: CampaignStore
    let runs: Runs
    let campaign: String
    let hubs: [Int32]
    let workers: [Queue]
    var persons: [Person?] = [nil, nil]
    var claims: [(queue: Queue, claim: Claim)] = []
    var random: SeededRandom
    var wasCancelled = false
    var steps: [Step] = []

    /// A run with five recipients on one or two hubs, in one or two zones.
    init(seed: UInt64, in store: StoreFixture, hubs: [Int32], workers: [Queue]) async throws {
        (self.store, self.hubs) = (store, hubs)
        random = SeededRandom(seed: seed)
        self.workers = Array(workers.prefix(Int.random(in: 1...2, using: &random)))
        campaign = "c\(seed)"
        (campaigns, runs) = (CampaignStore(database: store.database), Runs(database: store.database))
        let names = Bool.random(using: &random) ? #"["news"]"# : #"["news", "app"]"#
        let local =
            Bool.random(using: &random)
            ? #", "local": {"time": "00:01", "default": "UTC", "zones": ["UTC", "Africa/Abidjan"]}"# : ""
        _ = try await campaigns.create(
            campaign,
            spec: #"{"hubs": \#(names), "audience": {"list": "five"}, "content": {"": {"title": "x"}}\#(local)}"#,
            draft: false)
        _ = try await campaigns.start(campaign, key: "k")
        try await store.database.script("UPDATE push.stream SET release_at = now() WHERE \(own("run"))")
    }

    /// `run = ...`, of this run.
    func own(_ column: String) -> String {
        "\(column) = (SELECT r.id FROM push.run r JOIN push.campaign c ON c.id = r.campaign WHERE c.name = '\(campaign)')"
    }

    func take(_ step: Step) async throws {
        steps.append(step)
        do {
            switch step {
            case .expand: try await Self.expand(try await stream(), runs)
            case .expandAtOnce:
                let (one, other, runs) = (try await stream(), try await stream(), runs)
                async let first: Void = Self.expand(one, runs)
                async let second: Void = Self.expand(other, runs)
                _ = try await (first, second)
            case .claim:
                let (queue, hub) = (workers.randomElement(using: &random)!, hubs.randomElement(using: &random)!)
                let limit = Int32.random(in: 1...4, using: &random)
                if let claim = try await queue.claim(hub: hub, priority: .bulk, after: .start, limit: limit) {
                    claims.append((queue, claim))
                }
            case .accept: try await answer { .accepted($0) }
            case .reject: try await answer { .rejected($0) }
            case .giveBack: try await answer { .retrying($0) }
            case .die:
                // Half of its messages are on the wire.
                guard let (queue, claim) = takeClaim() else { return }
                let ids = claim.messages.map(\.id)
                try await intend(ids.prefix((ids.count + 1) / 2).map { [$0] }, claim, by: queue)
                _ = try await store.workers.rescue(claims: [claim.id])
            case .pause: try await begin(.pause(reason: nil))
            case .resume: try await begin(.resume)
            case .cancel:
                try await begin(.cancel)
                wasCancelled = true
            case .goOn: try await goOn(Int.random(in: 0...1, using: &random))
            case .goOnAtOnce:
                let runs = runs
                async let looked: Void = runs.lookAfter()
                try await goOn(Int.random(in: 0...1, using: &random))
                try await looked
            case .walkAway: persons[Int.random(in: 0...1, using: &random)] = nil
            case .look: try await runs.lookAfter()
            case .lookAtOnce:
                let runs = runs
                async let one: Void = runs.lookAfter()
                async let other: Void = runs.lookAfter()
                _ = try await (one, other)
            case .retry: try await all(.retry(reason: nil))
            case .resolve: try await all(.resolve(decision: "resend"))
            case .rate:
                try await campaigns.setRate(campaign, key: "k", rate: Bool.random(using: &random) ? 1_000_000 : nil)
            case .timeIsUp:
                try await store.database.script("UPDATE push.run SET ends_at = now() WHERE \(own("id"))")
            }
        } catch let error as DatabaseError where error.is(.serializationFailure) || error.sqlState == "55000" {
            // Refused by the state of the run, or by somebody who changed it meanwhile.
        }
    }

    // MARK: - Steps

    private func stream() async throws -> Int64 {
        let all = try await ids("SELECT id FROM push.stream WHERE \(own("run")) ORDER BY id")
        return all.randomElement(using: &random)!
    }

    private static func expand(_ stream: Int64, _ runs: Runs) async throws {
        _ = try await runs.expand(stream, upTo: Int.random(in: 1...4))
    }

    private func takeClaim() -> (queue: Queue, claim: Claim)? {
        guard let index = claims.indices.randomElement(using: &random) else { return nil }
        return claims.remove(at: index)
    }

    private func intend(_ posts: [[Int64]], _ claim: Claim, by queue: Queue) async throws {
        let numbered = posts.enumerated().map { index, ids in
            (n: 1 + index, post: Post(messages: ids, target: .tag("World"), body: Array("{}".utf8)))
        }
        _ = try await queue.intend(numbered[...], under: claim.id)
    }

    /// Posts what a worker holds, each message alone, but for those that were stopped meanwhile; and records the answers.
    private func answer(_ answered: (Int64) -> Completion.Answered) async throws {
        guard let (queue, claim) = takeClaim() else { return }
        let stopped = Set(try await ids("SELECT unnest(cancelled) FROM push.claim WHERE id = \(claim.id)"))
        let left = claim.messages.map(\.id).filter { !stopped.contains($0) }
        try await intend(left.map { [$0] }, claim, by: queue)
        var completion = Completion()
        completion.answered = left.enumerated().map { index, id in
            var one = answered(claim.post(index + 1))
            one.messages = [id]
            return one
        }
        completion.finished = [claim.id]
        _ = try await queue.complete(completion)
    }

    private func begin(_ steering: CampaignStore.Steering) async throws {
        let done = try await campaigns.steer(campaign, key: "k", steering, after: nil, batch: 2)
        persons[Int.random(in: 0...1, using: &random)] = done.next.map { Person(steering: steering, next: $0) }
    }

    private func goOn(_ index: Int) async throws {
        guard let person = persons[index] else { return }
        persons[index] = nil
        let done = try await campaigns.steer(campaign, key: "k", person.steering, after: person.next, batch: 2)
        persons[index] = done.next.map { Person(steering: person.steering, next: $0) }
    }

    func all(_ steering: CampaignStore.Steering) async throws {
        var done = try await campaigns.steer(campaign, key: "k", steering, after: nil)
        while let next = done.next {
            done = try await campaigns.steer(campaign, key: "k", steering, after: next)
        }
    }

    private func ids(_ sql: String) async throws -> [Int64] {
        try await store.database.query("\(raw: sql)") { rows in try rows.map { row in try row.int64() } }
    }
}
