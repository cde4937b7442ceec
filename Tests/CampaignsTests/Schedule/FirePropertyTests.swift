import Postgres
import PushModel
import Store
import TestSupport
import Testing

@testable import Campaigns

/// For any policy, outage and number of workers the runs are just those that the policy says. Workers look and fire in any
/// order, are killed in between, and fire long after others did; the clock also goes back. It is a number of the test: the
/// database fires by what it is told, in 2026.
@Suite(.timeLimit(.minutes(10))) struct FirePropertyTests {
    /// Looks and fires are twice as likely as the others.
    private enum Step: CaseIterable { case wait, sleep, setBack, look, lookAgain, fire, fireLate, kill, end }

    /// What a worker saw, and means to do.
    private struct Intent {
        let move: Schedules.Move
        let now: Int
    }

    @Test(arguments: 1...30)
    func theRunsAreThoseThatThePolicySays(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var model = Model(random: &random)
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
                "schedule": {"cron": "*/\(model.period / 60) * * * *", "zone": "UTC", "misfire": "\(model.misfire)",
                             "overlap": "\(model.overlap)", "catchUp": "\(model.catchUp) s"}}');
            UPDATE push.campaign SET next_at = to_timestamp(\(model.next)), fires_at = to_timestamp(\(model.next));
            """)
        let schedules = Schedules(database: test.database)
        let zones = TimeZones()
        var workers = [Intent?](repeating: nil, count: 3)
        var now = model.next - 90

        for _ in 0..<80 {
            let worker = workers.indices.randomElement(using: &random) ?? 0
            switch Step.allCases.randomElement(using: &random) ?? .wait {
            case .wait: now += Int.random(in: 1...model.period, using: &random)
            case .sleep: now += Int.random(in: 1...4 * model.catchUp, using: &random)
            case .setBack: now -= 3_600
            case .look, .lookAgain:
                // All of 2026 is due for the database: what is due by the test's clock is looked at.
                let due = try await schedules.look(atMost: 1, except: []).due.first { $0.firesAt <= Double(now) }
                workers[worker] = try due.map {
                    Intent(move: try Schedule($0.text, in: zones).move($0, now: Double(now)), now: now)
                }
            case .fire, .fireLate:
                guard let intent = workers[worker] else { continue }
                workers[worker] = nil
                let fired = try await schedules.fire([intent.move])
                #expect(fired.isEmpty != model.fire(expected: intent.move.expected, now: intent.now), "seed \(seed)")
            case .kill: workers[worker] = nil
            case .end:
                guard let key = model.endOldest() else { continue }
                try await test.database.script(
                    """
                    UPDATE push.run SET state = 'done', ended_at = now(), closed_at = now()
                     WHERE extract(epoch FROM key::timestamptz) = \(key);
                    SELECT push_worker.change_run_v1(r.id, r.state_since, 'turn_comes', NULL) FROM push_internal.first_waiting() r WHERE push_internal.is_first_of_campaign(r);
                    """)
            }
        }
        let runs = try await test.texts(
            "SELECT extract(epoch FROM key::timestamptz)::bigint || ' ' || state FROM push.run ORDER BY id")
        #expect(runs == model.runs.map { "\($0.time) \($0.state)" }, "seed \(seed): \(model)")
        #expect(try await test.number("SELECT extract(epoch FROM next_at)::bigint FROM push.campaign") == model.next)
        // Whatever happened: a time starts one run at most, and they start in order.
        #expect(zip(model.runs, model.runs.dropFirst()).allSatisfy { $0.time < $1.time }, "seed \(seed): \(model)")
        await test.database.close()
    }

    /// What docs/campaigns.md says, by counting.
    private struct Model {
        let period: Int
        let misfire: Misfire
        let overlap: String
        let catchUp: Int
        var next = 1_772_323_200
        var runs: [(time: Int, state: String)] = []

        init(random: inout SeededRandom) {
            period = 60 * ([5, 10, 15, 20, 30].randomElement(using: &random) ?? 5)
            misfire = Misfire.allCases.randomElement(using: &random) ?? .once
            overlap = ["skip", "queue", "cancel", "allow"].randomElement(using: &random) ?? "skip"
            catchUp = [600, 3_600, 7_200].randomElement(using: &random) ?? 600
        }

        private var open: [Int] { runs.indices.filter { !["done", "skipped"].contains(runs[$0].state) } }

        /// - Returns: whether that worker was the first.
        mutating func fire(expected: Int64?, now: Int) -> Bool {
            guard expected == Int64(next) else { return false }
            let oldest = now - (misfire == .skip ? 60 : catchUp)
            guard next >= oldest else {
                let first = (oldest + period - 1) / period * period
                miss(until: first)
                next = first
                return true
            }
            let time = misfire == .once ? max(next, now / period * period) : next
            miss(until: time)
            next = time + period
            runs.append((time, state(isMadeUp: misfire == .all && now - time > 60)))
            return true
        }

        /// Puts the times from `next` on on record that start nothing: of a long outage the oldest.
        private mutating func miss(until end: Int) {
            for time in stride(from: next, to: end, by: period).prefix(100) { runs.append((time, "skipped")) }
        }

        /// The state in which the next run begins.
        private mutating func state(isMadeUp: Bool) -> String {
            guard !open.isEmpty else { return "running" }
            if isMadeUp { return "waiting" }
            switch overlap {
            case "skip": return "skipped"
            case "queue": return open.contains { runs[$0].state == "waiting" } ? "skipped" : "waiting"
            case "cancel":
                for index in open { runs[index].state = "cancelling" }
                return "running"
            default: return "running"
            }
        }

        /// - Returns: the time of the run that ended; nil: none is open.
        mutating func endOldest() -> Int? {
            guard let oldest = open.first else { return nil }
            runs[oldest].state = "done"
            if let waiting = open.first, runs[waiting].state == "waiting" { runs[waiting].state = "running" }
            return runs[oldest].time
        }
    }
}
