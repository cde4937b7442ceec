import Postgres

/// What was read, or why it cannot be worked out: a mistake in a spec, a view that is gone. Another look finds the same.
struct Attempt<Value: Sendable>: Sendable {
    /// nil: see `problem`.
    var value: Value?
    /// A sentence; nil: there is a value.
    var problem: String?

    init(value: Value?, problem: String? = nil) { (self.value, self.problem) = (value, problem) }

    /// - Parameter doing: to follow "cannot", for an error that is not the database's.
    /// - Throws: what says nothing about what was to be read: the database is away, slow, or does not let this person read it.
    init(doing: String, _ read: nonisolated(nonsending) () async throws -> Value) async throws(DatabaseError) {
        do throws(DatabaseError) {
            value = try await DatabaseError.only(doing: doing, read)
        } catch {
            if error.isTransient || error.is(.queryCancelled) || error.is(.insufficientPrivilege) { throw error }
            problem = [error.message, error.hint].compactMap(\.self).joined(separator: ". ")
        }
    }
}
