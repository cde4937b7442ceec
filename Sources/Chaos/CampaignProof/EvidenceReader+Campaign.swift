import Postgres
import Store

extension EvidenceReader {
    /// Reads the facts of a campaign that is over.
    ///
    /// - Parameters:
    ///   - run: `push.run.id`.
    ///   - journal: read to its end.
    func facts(ofRun run: Int64, named name: String, key: String, _ journal: CampaignJournal) async throws
        -> CampaignFacts
    {
        var facts = CampaignFacts(audience: journal.audience)
        facts.add(journal)
        try await readMessages(of: run, into: &facts)
        facts.posts = try await number("SELECT count(*) FROM push.post")
        facts.unanswered = try await unanswered(facts.audience)
        facts.progress = try await CampaignStore(database: database).progress(name, key: key).first
        facts.slices = try await slices(of: run)
        facts.left = try await number("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)")
        facts.lost = try await lost()
        facts.tally = try await tally()
        facts.counted = try await counted()
        return facts
    }

    private func number(_ sql: SQL) async throws -> Int64 {
        try await database.query(sql) { rows in try rows.first { row in try row.int64() } ?? 0 }
    }

    private func readMessages(of run: Int64, into facts: inout CampaignFacts) async throws {
        let before = facts
        facts = try await database.query(
            """
            WITH newest AS MATERIALIZED (\(raw: Self.newest))
            SELECT coalesce(substring(m.tag FROM '^user:([0-9]{1,18})!?$')::bigint, 0), coalesce(n.status::text, '')
              FROM push.message m
                   LEFT JOIN newest n ON n.id = m.id
             WHERE m.stream IN (SELECT t.id FROM push.stream t WHERE t.run = \(run))
            """
        ) { rows in
            var facts = before
            try rows.forEach { row in
                let key = Int(try row.int64())
                guard facts.audience.keys.contains(key) else {
                    facts.strangeMessages += 1
                    return
                }
                facts.recipients[key].messages += 1
                facts.recipients[key].status = try row.string()
            }
            return facts
        }
    }

    /// The keys of each post that has no answer.
    private func unanswered(_ audience: CampaignAudience) async throws -> [[Int]] {
        try await database.query(
            """
            SELECT array_agg(m.tag)
              FROM push.post p, unnest(p.ids) u(id) JOIN push.message m ON m.id = u.id
             WHERE NOT EXISTS (SELECT FROM push.answers a WHERE a.post = p.id)
             GROUP BY p.id
            """
        ) { rows in
            try rows.map { row in try row.stringArray().compactMap { audience.key(of: Substring($0)) } }
        }
    }

    private func slices(of run: Int64) async throws -> CampaignFacts.Slices {
        var slices = try await database.query(
            """
            SELECT count(*), coalesce(sum(s.rows), 0), coalesce(sum((s.left_out ->> 'suppressed')::bigint), 0)::bigint
              FROM push.stream t JOIN push.slice s ON s.stream = t.id
             WHERE t.run = \(run)
            """
        ) { rows in
            try rows.first { row in
                CampaignFacts.Slices(
                    count: try row.int64(), rows: try row.int64(), suppressed: try row.int64())
            } ?? CampaignFacts.Slices()
        }
        let counted = try await database.query(
            """
            SELECT c.status::text, sum(c.rows)
              FROM push.stream t JOIN push.slice_count c ON c.stream = t.id
             WHERE t.run = \(run)
             GROUP BY 1
            """
        ) { rows in try rows.map { row in (try row.string(), try row.int64()) } }
        slices.counted = Dictionary(counted) { $0 + $1 }
        return slices
    }
}
