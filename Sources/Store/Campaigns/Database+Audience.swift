import Postgres

extension Database {
    /// A transaction that may read an audience.
    ///
    /// - Parameter seconds: how long each of its statements may take.
    /// - Throws: `DatabaseError`: `queryCancelled` with the reason when that was not enough.
    nonisolated(nonsending) func readingAudience<T>(
        within seconds: Int, _ doing: String, _ body: nonisolated(nonsending) (Connection) async throws -> T
    ) async throws(DatabaseError) -> T {
        do {
            return try await withTransaction { connection in
                try await connection.execute("SET LOCAL statement_timeout = '\(raw: "\(seconds)")s'", doing: doing)
                return try await body(connection)
            }
        } catch let error as DatabaseError {
            throw error.cutShort(after: Double(seconds))
        } catch {
            // The closure throws nothing else; a cancelled task ends its statement as a `DatabaseError`, too.
            throw DatabaseError(doing: doing, message: "\(error)")
        }
    }
}
