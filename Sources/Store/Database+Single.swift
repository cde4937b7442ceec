import Postgres

extension Database {
    /// Reads the only row of a statement that always returns one.
    func single<T: Sendable>(
        _ sql: SQL, doing: String, _ read: @Sendable (inout Row) throws -> T
    ) async throws(DatabaseError) -> T {
        try await query(sql, doing: doing) { rows in try rows.single(read) }
    }
}
