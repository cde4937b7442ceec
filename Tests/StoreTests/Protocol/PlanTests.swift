import Postgres
import PushModel
import Store
import Synchronization
import TestSupport
import Testing

/// No plan depends on statistics: a queue table is empty when it is analysed and huge an hour later. Every hot statement
/// is run empty, with one row and with many, before and after ANALYZE, in sessions of its own and in one that keeps its
/// plans from the first day; none may ever read a whole large table.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PlanTests {
    private static let many = 100_000

    @Test func noHotStatementEverReadsAWholeTable() async throws {
        let bench = try await Bench.make()
        // Statistics change only when this test says so.
        try await bench.database.execute("ALTER SYSTEM SET autovacuum = off")
        try await bench.database.execute("SELECT pg_reload_conf()")
        let old = Session(bench)
        for rows in [0, 1, Self.many] {
            try await Self.fill(bench, to: rows)
            for analysed in [false, true] {
                if analysed { try await bench.database.execute("ANALYZE") }
                let fresh = Session(bench)
                for session in [old, fresh] {
                    for (name, step) in Self.steps {
                        let plans = try await session.plans(of: { try await step(bench, session.database) })
                        #expect(!plans.isEmpty, "\(name): auto_explain said nothing")
                        let bad = plans.flatMap(Self.wholeTables)
                        #expect(bad == [], "\(name) at \(rows) rows, \(analysed ? "" : "not ") analysed")
                        if !bad.isEmpty {
                            print(plans.filter { !Self.wholeTables($0).isEmpty }.joined(separator: "\n"))
                        }
                    }
                }
                await fresh.database.close()
            }
        }
        await old.database.close()
    }

    private typealias Step = @Sendable (Bench, Database) async throws -> Void

    /// The protocol in its order; each step leaves the tables as large as they were.
    private static let steps: [(String, Step)] = [
        (
            "the whole of a claim's life",
            { bench, database in
                let queue = Queue(database: database, worker: bench.queue.worker)
                _ = try await queue.probe([(bench.hub, .normal, .start), (bench.hub, .urgent, .start)])
                var found = try await bench.claim(20, by: queue)
                if found == nil {
                    try await bench.insert(1)
                    found = try await bench.claim(20, by: queue)
                }
                let claim = try #require(found)
                let ids = claim.messages.map(\.id)
                let posts = ids.prefix(3).enumerated().map { index, id in
                    (n: index + 1, post: Post(messages: [id], target: .tag("a"), body: []))
                }
                _ = try await queue.intend(posts[...], under: claim.id)
                var completion = Completion()
                completion.answered = [.accepted(claim.post(1), [ids[0]])]
                if posts.count > 1 { completion.answered.append(.retrying(claim.post(2))) }
                completion.left = ids.dropFirst(3).map {
                    .init(claim: claim.id, message: $0, outcome: .retrying(.released, after: 0, cost: 0))
                }
                _ = try await queue.complete(completion)
                _ = try await Workers(database: database).rescue(claims: [claim.id])
                completion.answered = posts.map { .accepted(claim.post($0.n), $0.post.messages) }
                completion.finished = [claim.id]
                _ = try await queue.complete(completion)  // late
            }
        ),
        (
            "cancel",
            { bench, database in
                let messages = Messages(database: database)
                let ids = try await bench.translate(["en", "fr", "zh-Hans"])
                _ = try await messages.cancel(ids[0])
                let queue = Queue(database: database, worker: bench.queue.worker)
                while let claim = try await bench.claim(1000, by: queue) {
                    if claim.messages.contains(where: { $0.id == ids[1] }) { break }
                    _ = try await Workers(database: database).rescue(claims: [claim.id])
                    break
                }
                _ = try await messages.cancel(ids[1])
                _ = try await messages.cancel(ids[1])
                _ = try await Workers(database: database).rescue(bench.queue.worker)
            }
        ),
        (
            "keys",
            { bench, database in
                let queue = Queue(database: database, worker: bench.queue.worker)
                let messages = Messages(database: database)
                var kept = NewMessage(hub: "news", tag: "a", content: "{}")
                kept.dedupeKey = "d\(UInt64.random(in: 0 ... .max))"
                _ = try await messages.enqueue([kept])
                _ = try await messages.enqueue([kept])
                let key = "k\(UInt64.random(in: 0 ... .max))"
                var ids: [Int64] = []
                for locale in ["en", "fr", "FR", nil] {
                    ids.append(try await bench.keyed(locale, key: key, in: database))
                }
                _ = try await messages.status(of: ids[1])
                _ = try await messages.cancel(ids[3])
                try await bench.settle(key: key)
                let gathered = try #require(try await bench.claim(20, by: queue))
                #expect(gathered.messages.contains { $0.id == ids[0] })
                _ = try await bench.keyed("zh-Hans", key: key, in: database)  // late
                _ = try await Workers(database: database).rescue(claims: [gathered.id])
                _ = try await messages.cancel(ids[1])
                try await KeyRetention.forget(in: database)
            }
        ),
        (
            "message status",
            { bench, database in
                let ids = try await bench.insert(1)
                _ = try await Messages(database: database).status(of: ids[0])
            }
        ),
        (
            "resolve",
            { bench, database in
                let ids = try await bench.test.texts("SELECT id::text FROM push.in_doubt LIMIT 1").compactMap(
                    Int64.init)
                _ = try await Doubts(database: database).resolve(ids + [1], as: .rejected)
            }
        ),
        (
            "enqueue",
            { bench, database in
                _ = try await Messages(database: database).enqueue([NewMessage(hub: "news", tag: "a", content: "{}")])
            }
        ),
    ]

    /// Brings every table of a message's life to about so many rows.
    private static func fill(_ bench: Bench, to rows: Int) async throws {
        guard rows > 0 else { return }
        try await bench.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, locale)
            SELECT 'news', 'tag' || g, '{"message": "hi"}', CASE g % 10 WHEN 0 THEN 'en' END FROM generate_series(1, \(rows)) g
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.translation (id, lead) SELECT 3900000 - g, 3900000 - g / 2 * 2 FROM generate_series(1, \(rows)) g
                ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.content (id, lead, due_at, hub, priority, tag, content_key, locale)
            SELECT 3900000 - g, 3900000 - g, '2199-01-01', \(bench.hub), 1, 'tag' || g, 'key' || g, 'en'
              FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.content_taken (hub, priority, tag, content_key, lead, ids)
            SELECT \(bench.hub), 1, 'tag' || g, 'taken' || g, g, ARRAY[g] FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.dedupe (hub, key, id) SELECT \(bench.hub), 'key' || g, g FROM generate_series(1, \(rows)) g
                ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.post (id, bytes, hub, ids)
            SELECT 900000000 + g, 1, \(bench.hub), ARRAY[3900000 - g] FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.answer (post, milliseconds, verdict)
            SELECT 900000000 + g, 1, 'accepted' FROM generate_series(1, \(rows)) g ON CONFLICT DO NOTHING
            """)
        try await bench.database.execute(
            """
            INSERT INTO push.result (id, post, status, reason)
            SELECT 3900000 - g, 900000000 + g, 'accepted', 'taken_by_hub' FROM generate_series(1, \(rows)) g
            """)
    }

    /// Lines of a plan that read a whole table, or join by reading both sides. Hubs, workers and claims are a handful of
    /// rows, as are the rows of a statement; joining those may read both sides. What begins with another word is no table.
    private static func wholeTables(_ plan: String) -> [String] {
        let whole =
            /(Seq Scan|Bitmap Heap Scan|Parallel Seq Scan) on (due|message|post|result|translation|answer|content|content_taken|dedupe)\b/
        let large = /Scan.* on (due|message|post|result|translation|answer|content|content_taken|dedupe)/
        let lines = plan.split(separator: "\n").map(String.init)
        return lines.filter { line in
            line.contains(whole)
                || (line.contains("Hash Join") || line.contains("Merge Join")) && lines.contains { $0.contains(large) }
        }
    }

    /// A connection whose plans are heard.
    private struct Session: Sendable {
        let database: Database
        private let heard = Heard()

        init(_ bench: Bench) {
            let heard = heard
            database = Database(
                DatabaseSettings(
                    url: bench.test.conninfo, maximumConnections: 1,
                    onNotice: { notice in heard.plans.withLock { $0.append(notice.message) } }))
        }

        /// What was planned while `body` ran.
        func plans(of body: () async throws -> Void) async throws -> [String] {
            try await database.script(
                """
                LOAD 'auto_explain';
                SET auto_explain.log_min_duration = 0;
                SET auto_explain.log_nested_statements = on;
                SET client_min_messages = log;
                """)
            heard.plans.withLock { $0 = [] }
            try await body()
            return heard.plans.withLock { $0 }.filter { $0.contains("plan:") }
        }
    }

    private final class Heard: Sendable {
        let plans = Mutex<[String]>([])
    }
}
