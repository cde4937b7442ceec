import HubEmulator
import Postgres
import PushModel

/// Asks hub and database what happened.
struct DemoQueries: Sendable {
    let environment: DemoEnvironment

    /// What is shown to people, and run as it is shown.
    static let resultsQuery = """
        SELECT id, target, locale, status, reason, http
          FROM push.message_status ORDER BY id
        """

    /// Everything the hub was sent so far, beside what the database wrote down about it.
    func posts() async throws -> [DemoResults.Post] {
        let known = try await recorded()
        return environment.emulator.journal().map { entry in
            let body = entry.body ?? ""
            let record = entry.tracking.flatMap { known[$0] }
            return DemoResults.Post(
                // A body the hub took is a flat object; of one it refused nothing more is shown.
                tags: entry.tags ?? "(everyone)", properties: (try? StringObject(body).names) ?? [],
                bytes: body.utf8.count, milliseconds: record?.milliseconds, rows: record?.rows ?? 0,
                status: entry.status, notifications: entry.reached)
        }
    }

    private struct Record {
        var milliseconds: Int
        var rows: Int
    }

    /// By tracking id.
    private func recorded() async throws -> [String: Record] {
        let rows = try await environment.database.query(
            """
            SELECT a.tracking_id, a.milliseconds, cardinality(p.ids)
              FROM push.post p JOIN push.answers a ON a.post = p.id WHERE a.tracking_id IS NOT NULL
            """, doing: "read the posts"
        ) { rows in
            try rows.map { row in
                (try row.string(), Record(milliseconds: Int(try row.int32()), rows: Int(try row.int32())))
            }
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// What every phone shows, oldest first.
    func shown() throws -> [String: [DemoText]] {
        var shown: [String: [DemoText]] = [:]
        for phone in DemoPhone.all {
            shown[phone.id] = try environment.emulator.inbox(of: phone.id, at: "breaking-news").map { push in
                DemoText(title: push.alert?.title ?? "", news: push.alert?.body ?? "")
            }
        }
        return shown
    }

    func results() async throws -> [DemoResults.Result] {
        try await environment.database.query(
            """
            SELECT id, coalesce(target, ''), coalesce(locale, ''), coalesce(status::text, ''), coalesce(reason::text, ''), http
              FROM (\(raw: Self.resultsQuery)) shown ORDER BY id
            """, doing: "read push.message_status"
        ) { rows in
            try rows.map { row in
                DemoResults.Result(
                    id: try row.int64(), target: try row.string(), locale: try row.string(),
                    status: try row.string(), reason: try row.string(), http: try row.int16OrNil())
            }
        }
    }

    /// Of all messages so far that were accepted.
    func latency(campaign: String? = nil) async throws -> DemoResults.Latency {
        try await environment.database.query(
            """
            SELECT count(*), percentile_disc(0.5) WITHIN GROUP (ORDER BY ms), percentile_disc(0.99) WITHIN GROUP (ORDER BY ms),
                   max(ms)
              FROM (SELECT extract(epoch FROM min(r.at) - m.send_at)::double precision * 1000 AS ms
                      FROM push.message m JOIN push.result r ON r.id = m.id
                     WHERE m.campaign IS NOT DISTINCT FROM \(campaign) GROUP BY m.id, m.send_at
                    HAVING count(*) = 1 AND min(r.status) = 'accepted') accepted
            """, doing: "read the results"
        ) { rows in
            try rows.first { row in
                DemoResults.Latency(
                    messages: try row.int64(), median: try row.doubleOrNil() ?? 0, p99: try row.doubleOrNil() ?? 0,
                    slowest: try row.doubleOrNil() ?? 0)
            } ?? DemoResults.Latency(messages: 0, median: 0, p99: 0, slowest: 0)
        }
    }

    /// Rows of push.lost. Reads everything there is.
    func lost() async throws -> Int64 {
        try await environment.database.query("SELECT count(*) FROM push.lost", doing: "read push.lost") { rows in
            try rows.first { row in try row.int64() } ?? -1
        }
    }
}
