import Postgres

/// How long used values of `dedupe_key` and `content_key` are kept.
public enum KeyRetention {
    /// Deletes expired keys (`dedupeHours`, `contentKeyHours` of the hub), in short transactions. A `content_key` is kept
    /// while one of its messages is pending. Any worker may call it, every few minutes.
    ///
    /// - Returns: how many keys and messages of keys were deleted; fewer than there are while another session does it.
    /// - Throws: `DatabaseError`; what was deleted until then stays deleted.
    @discardableResult
    public static func forget(in database: Database, batch: Int32 = 10_000) async throws(DatabaseError) -> Int64 {
        var total: Int64 = 0
        while true {
            let deleted = try await database.single(
                "SELECT push_worker.forget_keys_v1(\(batch))", doing: "forget old keys"
            ) {
                row in try row.int64OrNil()
            }
            guard let deleted else { return total }
            total += deleted
            if deleted < Int64(batch) { return total }
        }
    }
}
