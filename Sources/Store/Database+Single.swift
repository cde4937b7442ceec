import Postgres

extension Database {
    /// Reads the first row of a statement that always returns one.
    func single<T: Sendable>(
        _ sql: SQL, doing: String, _ read: @Sendable (borrowing Row) throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        try await query(sql, doing: doing) { rows throws(DatabaseError) in
            guard let value = try rows.first(read) else {
                throw DatabaseError(doing: doing, message: "the statement returned no row")
            }
            return value
        }
    }
}
