import Postgres

extension DatabaseError {
    /// Runs `body`; an error of another kind becomes one of the database, so that a page has one kind of trouble.
    static func only<Value>(
        doing: String, _ body: nonisolated(nonsending) () async throws -> Value
    ) async throws(DatabaseError) -> Value {
        do {
            return try await body()
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(doing: doing, message: "\(error)", underlying: error)
        }
    }
}
