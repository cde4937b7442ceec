import Postgres

/// Looks at runs while they are steered: whether what is shown of them is what the tables hold.
struct SteeringWatch {
    let database: Database
    private(set) var looks = 0
    private(set) var differences: [String] = []

    init(database: Database) { self.database = database }

    /// Both from one snapshot, so that they agree however much goes on. A database that is away is looked at later.
    mutating func look(at run: SteeredRun) async throws {
        do {
            differences += try await database.query(Self.comparison(run.campaign)) { rows in
                try rows.map { row in try row.string() }
            }
            looks += 1
        } catch {
            guard error.isTransient else { throw error }
        }
    }

    private static func comparison(_ campaign: String) -> SQL {
        """
        WITH ours AS (
            SELECT m.id, (SELECT r.status FROM push.result r WHERE r.id = m.id ORDER BY r.arrival DESC LIMIT 1) AS status,
                   EXISTS (SELECT FROM push.due d WHERE d.id = m.id) AS is_due
              FROM push.message m
             WHERE m.campaign = \(campaign)
        ), counted AS (
            SELECT count(*) AS expanded, count(*) FILTER (WHERE status = 'accepted') AS accepted,
                   count(*) FILTER (WHERE status = 'rejected') AS rejected, count(*) FILTER (WHERE status = 'expired') AS expired,
                   count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
                   count(*) FILTER (WHERE status = 'in_doubt') AS in_doubt, count(*) FILTER (WHERE is_due) AS pending,
                   count(*) FILTER (WHERE coalesce(status, 'retrying') = 'retrying' AND NOT is_due) AS under_way
              FROM ours
        ), shown AS (
            SELECT expanded, accepted, rejected, expired, cancelled, in_doubt, pending, under_way
              FROM push.run_progress
             WHERE campaign = \(campaign)
        )
        SELECT \(campaign) || ' shows ' || to_jsonb(s)::text || ' and has ' || to_jsonb(c)::text
          FROM counted c, shown s
         WHERE to_jsonb(c) <> to_jsonb(s)
         UNION ALL
        SELECT \(campaign) || ' has ' || p.expanded || ' messages, ' || p.left_out || ' left out, ' || p.never_made
               || ' to come, and ' || p.total || ' in all'
          FROM (SELECT p.expanded, p.suppressed + p.capped + p.double_key + p.passed + p.outside_window AS left_out,
                       p.never_made, p.total
                  FROM push.run_progress p
                 WHERE p.campaign = \(campaign)) p
         WHERE p.expanded + p.left_out + p.never_made <> p.total
        """
    }
}
