import Foundation
import HubEmulator
import Postgres

/// Reads the facts when everything has come to rest.
struct EvidenceReader {
    let database: Database
    let emulator: HubEmulator
    /// When the emulator began to count, seconds since 1970.
    let emulatorBegan: Double

    func facts() async throws -> Facts {
        var facts = Facts()
        facts.messages = try await messages()
        facts.results = try await results()
        facts.posts = try await posts()
        facts.arrivals = emulator.journal().map(arrival)
        facts.lost = try await database.query("SELECT id || ' ' || problem FROM push.lost LIMIT 100") { rows in
            try rows.map { row in try row.string(0) }
        }
        facts.tally = try await counts(
            "SELECT h.name, t.status::text, t.reason::text, sum(t.n)::bigint FROM push.tally t JOIN push.hub h ON h.id = t.hub GROUP BY 1, 2, 3"
        )
        facts.counted = try await counts(
            "SELECT m.hub, r.status::text, r.reason::text, count(*) FROM push.result r JOIN push.message m ON m.id = r.id GROUP BY 1, 2, 3"
        )
        return facts
    }

    private func messages() async throws -> [Facts.Message] {
        try await database.query(
            """
            SELECT m.id, m.tag, m.meta ->> 'marker', coalesce(s.status::text, ''),
                   coalesce(s.status IN ('due', 'retrying', 'scheduled') AND s.next_try < now() - interval '10 s', false)
              FROM push.message m JOIN push.message_status s ON s.id = m.id ORDER BY m.id
            """
        ) { rows in
            try rows.map { row in
                Facts.Message(
                    id: try row.int64(0), tag: try row.stringOrNil(1), marker: try row.stringOrNil(2) ?? "",
                    status: try row.string(3), isOverdue: try row.bool(4))
            }
        }
    }

    private func results() async throws -> [Facts.Result] {
        try await database.query(
            """
            SELECT id, post, extract(epoch FROM at)::double precision, status::text, coalesce(reason::text, '')
              FROM push.result ORDER BY at
            """
        ) { rows in
            try rows.map { row in
                Facts.Result(
                    id: try row.int64(0), post: try row.int64OrNil(1), at: try row.double(2), status: try row.string(3),
                    reason: try row.string(4))
            }
        }
    }

    private func posts() async throws -> [Facts.Post] {
        try await database.query(
            """
            SELECT p.id, p.ids, a.verdict::text, a.tracking_id, extract(epoch FROM a.at)::double precision
              FROM push.post p LEFT JOIN push.answer a ON a.post = p.id
            """
        ) { rows in
            try rows.map { row in
                let verdict = try row.stringOrNil(2)
                let (tracking, at) = (try row.stringOrNil(3), try row.doubleOrNil(4) ?? 0)
                return Facts.Post(
                    id: try row.int64(0), messages: try row.int64Array(1),
                    answer: verdict.map { Facts.Post.Answer($0, tracking: tracking, at: at) })
            }
        }
    }

    private func counts(_ sql: SQL) async throws -> [Facts.Count: Int] {
        let counted = try await database.query(sql) { rows in
            try rows.map { row in
                (
                    Facts.Count(
                        hub: try row.string(0), status: try row.string(1), reason: try row.stringOrNil(2) ?? ""),
                    Int(try row.int64(3))
                )
            }
        }
        return Dictionary(counted) { $0 + $1 }
    }

    private func arrival(_ entry: JournalEntry) -> Facts.Arrival {
        Facts.Arrival(
            number: entry.number, at: emulatorBegan + entry.elapsed, status: entry.status, isTaken: entry.taken,
            isWhole: entry.body != nil, isSpoilt: entry.fault != nil, tracking: entry.tracking, tags: entry.tags,
            markers: SendParser.markers(in: entry.body))
    }
}
