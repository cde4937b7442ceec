import Postgres

extension Backlog {
    /// The claims that others hold at this moment: a worker at work, or one that died and was not rescued yet.
    ///
    /// - Parameter name: of the caller; nil: nobody is left out. Of several workers of that name (a container that was started again has the name it
    ///   had) the newest is meant.
    public static func claims(
        in database: Database, hubs: [String], notOf name: String? = nil
    ) async throws(DatabaseError) -> [Int64] {
        try await database.query(
            """
            SELECT c.id FROM push.claim c JOIN push.hub h ON h.id = c.hub
             WHERE h.name = ANY (\(hubs))
               AND c.worker IS DISTINCT FROM (SELECT max(w.id) FROM push.worker w WHERE w.name = \(name))
            """, doing: "see what others hold"
        ) { rows throws(DatabaseError) in
            try rows.map { row throws(DatabaseError) in try row.int64(0) }
        }
    }

    /// How many messages these claims still hold; translations of one content count once.
    public static func held(by claims: [Int64], in database: Database) async throws(DatabaseError) -> Int64 {
        try await database.one(
            """
            SELECT count(*) FROM push.claim c, unnest(c.ids) m(id)
             WHERE c.id = ANY (\(claims))
               AND NOT EXISTS (SELECT FROM push.result r
                                WHERE r.id = m.id AND r.post >= c.id * 10000 AND r.post < (c.id + 1) * 10000)
            """, doing: "count what others hold"
        ) { row throws(DatabaseError) in try row.int64(0) }
    }
}
