import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What persons and workers do to runs at random, in a real database: each run ends as it was asked to, each recipient has
/// one message and one end, and the numbers that are shown are those of the tables after every step.
@Suite(.timeLimit(.minutes(30))) struct RunHistoryTests {
    /// Histories of each database. FANFARE_RUN_HISTORIES=250 makes a thousand of all four.
    private static let histories = UInt64(ProcessInfo.processInfo.environment["FANFARE_RUN_HISTORIES"] ?? "") ?? 8

    @Test(arguments: 0..<UInt64(4)) func whateverHappensToARunItKeepsItsWord(shard: UInt64) async throws {
        let store = try await StoreFixture.make()
        var app = TestWorker.news
        (app.name, app.hub) = ("app", "breaking-news-app")
        let other = try await Hubs(database: store.database).register(app)
        try await store.database.script(
            """
            SELECT push.make_list('five');
            INSERT INTO push.list_member (list, key, tag) SELECT id, n::text, 'u:' || n FROM push.list, generate_series(1, 5) n;
            """)
        let workers = [store.queue, try await store.another()]
        for seed in shard * 1_000_000..<shard * 1_000_000 + Self.histories {
            let history = try await RunHistory(
                seed: seed, in: store, hubs: [store.hub, other], workers: workers)
            do {
                for _ in 0..<Int.random(in: 5...40, using: &history.random) {
                    try await history.take(RunHistory.Step.allCases.randomElement(using: &history.random)!)
                    try await history.compareNumbers()
                }
                try await history.end()
            } catch {
                Issue.record("seed \(seed): \(error)\n\(history.steps.map { "\($0)" }.joined(separator: " "))")
                return
            }
        }
        try await store.database.script("UPDATE push.run SET state_since = state_since - interval '1 h'")
        #expect(try await store.lost() == [])
        await store.database.close()
    }
}

extension RunHistory {
    struct Wrong: Error, CustomStringConvertible { var description: String }

    /// What is shown of the run, and what stands in the tables.
    func compareNumbers() async throws {
        let differing = try await store.test.texts(
            """
            WITH ours AS (
                SELECT m.id, (SELECT r.status FROM push.result r WHERE r.id = m.id ORDER BY r.arrival DESC LIMIT 1) AS status,
                       EXISTS (SELECT FROM push.due d WHERE d.id = m.id) AS is_due
                  FROM push.message m
                 WHERE m.campaign = \(campaign)
            ), counted AS (
                SELECT count(*) AS expanded, count(*) FILTER (WHERE status = 'accepted') AS accepted,
                       count(*) FILTER (WHERE status = 'rejected') AS rejected, count(*) FILTER (WHERE status = 'expired') AS expired,
                       count(*) FILTER (WHERE status = 'cancelled') AS cancelled, count(*) FILTER (WHERE status = 'in_doubt') AS in_doubt,
                       count(*) FILTER (WHERE is_due) AS pending, count(*) FILTER (WHERE coalesce(status, 'retrying') = 'retrying' AND NOT is_due) AS under_way
                  FROM ours
            )
            SELECT to_jsonb(c)::text || ' in the tables, ' || to_jsonb(s)::text || ' shown'
              FROM counted c,
                   (SELECT expanded, accepted, rejected, expired, cancelled, in_doubt, pending, under_way FROM push.run_progress
                     WHERE campaign = \(campaign)) s
             WHERE to_jsonb(c) <> to_jsonb(s)
            """)
        if let first = differing.first { throw Wrong(description: first) }
    }

    /// Everything goes on, and persons only resume.
    func end() async throws {
        persons = [nil, nil]
        for round in 0..<60 {
            for (_, claim) in claims { _ = try await store.workers.rescue(claims: [claim.id]) }
            claims = []
            let state = try await state()
            if state.closed { break }
            if round == 59 { throw Wrong(description: "does not end: \(state.state)") }
            if state.state == .paused { try await all(.resume) }
            try await take(.expand)
            for _ in 0..<4 {
                try await take(.claim)
                try await take(.accept)
            }
            try await take(.look)
            try await compareNumbers()
        }
        let (state, _) = try await state()
        let asked: Set<RunState> = wasCancelled ? [.cancelled, .expired] : [.done, .failed, .expired]
        if !asked.contains(state) { throw Wrong(description: "ended as \(state)") }
        let wrong = try await store.test.texts(
            """
            SELECT m.recipient || ' of stream ' || m.stream || ' has ' || count(*) || ' messages'
              FROM push.message m WHERE m.campaign = \(campaign) GROUP BY m.stream, m.recipient HAVING count(*) > 1
             UNION ALL
            SELECT m.id || ' is ' || coalesce(s.status::text, 'open')
              FROM push.message m
                   JOIN push.message_status s ON s.id = m.id
             WHERE m.campaign = \(campaign) AND coalesce(s.status::text, '')  NOT IN ('accepted', 'rejected', 'expired', 'cancelled', 'in_doubt')
             UNION ALL
            SELECT 'done with ' || p.expanded || ' messages'
              FROM push.run_progress p
             WHERE p.campaign = \(campaign) AND p.state = 'done'
               AND p.expanded <> 5 * (SELECT count(*) FROM push.stream WHERE \(raw: own("run")))
             UNION ALL
            SELECT 'event ' || e.event || ' from ' || coalesce(e.was::text, 'nothing') || ' after ' || coalesce(e.before::text, 'nothing')
              FROM (SELECT e.*, lag(e.state) OVER (ORDER BY e.id) AS before FROM push.run_event e WHERE \(raw: own("run"))) e
             WHERE e.was IS DISTINCT FROM e.before OR e.was = e.state AND e.event <> 'is_stopped'
             UNION ALL
            SELECT 'is ' || r.state || ' by ' || r.event || ', and its events do not end so'
              FROM push.run r
             WHERE \(raw: own("id"))
               AND (r.state, r.event) IS DISTINCT FROM
                   (SELECT ROW(e.state, e.event) FROM push.run_event e WHERE e.run = r.id ORDER BY e.id DESC LIMIT 1)
            """)
        if let first = wrong.first { throw Wrong(description: first) }
    }

    private func state() async throws -> (state: RunState, closed: Bool) {
        let text = try await store.test.texts(
            "SELECT state || ' ' || (closed_at IS NOT NULL) FROM push.run WHERE \(raw: own("id"))")
        let words = text[0].split(separator: " ")
        return (RunState(rawValue: String(words[0]))!, words[1] == "true")
    }
}
