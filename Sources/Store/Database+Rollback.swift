import Postgres

extension Database {
    /// Runs `body` in a transaction that is rolled back, whatever comes of it.
    ///
    /// - Parameter beginning: what begins it.
    /// - Throws: what `body` throws, and `DatabaseError`.
    nonisolated(nonsending) func withRollback<T>(
        of beginning: SQL = "BEGIN", _ body: nonisolated(nonsending) (Connection) async throws -> T
    ) async throws -> T {
        try await withConnection { connection in
            try await connection.execute(beginning, doing: "begin a transaction")
            let value: T
            do {
                value = try await body(connection)
            } catch {
                // If the rollback fails, the connection is not lent again; the first error is the one to report.
                _ = try? await connection.execute("ROLLBACK")
                throw error
            }
            try await connection.execute("ROLLBACK", doing: "undo a transaction")
            return value
        }
    }
}
