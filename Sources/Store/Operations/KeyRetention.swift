import Postgres

/// What is remembered of `dedupe_key` and `content_key`.
public enum KeyRetention {
    /// Forgets what is beyond its time (`dedupeHours`, `contentKeyHours` of the hub), in short transactions. A
    /// `content_key` is kept while one of its messages is pending. Any worker may call it, every few minutes.
    ///
    /// - Returns: how many keys and messages of keys were forgotten.
    /// - Throws: `DatabaseError`; what was forgotten until then stays forgotten.
    @discardableResult
    public static func forget(in database: Database, batch: Int32 = 10_000) async throws(DatabaseError) -> Int64 {
        var total: Int64 = 0
        while true {
            let gone = try await database.one("SELECT push.forget_keys(\(batch))", doing: "forget old keys") {
                row throws(DatabaseError) in try row.int64(0)
            }
            total += gone
            if gone < Int64(batch) { return total }
        }
    }
}
