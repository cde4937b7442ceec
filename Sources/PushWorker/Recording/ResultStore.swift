import Postgres
import Store

/// What the recorder asks of the database.
protocol ResultStore: Sendable {
    /// Records answers and outcomes, and finishes claims. After an error some of it may be recorded all the same.
    func complete(_ completion: Completion) async throws(DatabaseError) -> Completed

    /// Writes down that an entry can never be recorded.
    func giveUp(_ completion: Completion, because words: String) async throws(DatabaseError)

    /// - Returns: whether the database was away and is back.
    @discardableResult
    func waitUntilBack(atMost seconds: Double) async -> Bool
}

extension Queue: ResultStore {}
