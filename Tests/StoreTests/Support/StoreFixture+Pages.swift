import Postgres

extension StoreFixture {
    /// The pages of our tables, with their indexes and long values, that a statement reads when its session has run it before; it is rolled back.
    ///
    /// Not those of the catalogue: a session reads that again, some 2,000 pages, whenever it was behind with the changes of
    /// others, in whichever database of the server these were made. After an ANALYZE or VACUUM of another session, autovacuum's
    /// too, it plans again, and that reads the first page of each index (153 pages were 219): the least of three runs counts.
    func pages(of statement: SQL) async throws -> Int {
        let read: SQL = """
            WITH ours AS (
                SELECT c.oid, c.reltoastrelid FROM pg_class c
                 WHERE c.relnamespace IN ('push'::regnamespace, 'push_worker'::regnamespace, 'push_internal'::regnamespace)
            )
            SELECT sum(pg_stat_get_xact_blocks_fetched(r.oid))::bigint
              FROM (SELECT oid FROM ours UNION SELECT reltoastrelid FROM ours
                    UNION SELECT i.indexrelid FROM ours o JOIN pg_index i ON i.indrelid = o.reltoastrelid) r
            """
        return try await database.withConnection { connection in
            func pages() async throws -> Int64 {
                try await connection.query(read) { rows in try rows.single { row in try row.int64() } }
            }
            try await connection.execute("BEGIN")
            try await connection.execute("SET LOCAL max_parallel_workers_per_gather = 0")  // they count for themselves
            try await connection.execute("SAVEPOINT nothing")
            var runs: [Int64] = []
            for _ in 0...3 {
                let before = try await pages()
                try await connection.execute(statement)
                runs.append(try await pages() - before)
                try await connection.execute("ROLLBACK TO nothing")
            }
            try await connection.execute("ROLLBACK")
            return Int(runs.dropFirst().min() ?? 0)
        }
    }
}
