import Postgres

/// What is left to do, for a drain that has to know whether it may end.
///
/// Counts messages that are due, messages that were tried and come due again, and contents with a key that only wait for
/// translations (`push_internal.count_pointers_left`). Messages that are scheduled for later and were never tried do not count.
/// Translations of one content count once; with a key, once per statement until they are due.
public enum Backlog {
    /// When the next message is due.
    ///
    /// Looks only at the front of each lane, so it costs the same with ten messages as with ten million. Only scheduled
    /// messages in front of a retry cost extra.
    ///
    /// - Parameter seconds: messages that come due later do not count.
    /// - Returns: seconds from now, negative when it is due already; nil: nothing is left.
    public static func next(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Double? {
        try await database.single("SELECT push_worker.next_due_v1(\(hubs), \(seconds))", doing: "see what is left") {
            row in
            try row.doubleOrNil()
        }
    }

    /// How many messages are left. Counts them one by one: call it at the beginning and at the end, not all the time.
    public static func count(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> Int64 {
        try await database.single("SELECT push_worker.count_left_v1(\(hubs), \(seconds))", doing: "count what is left")
        {
            row in try row.int64()
        }
    }

    // MARK: What others hold

    /// The claims that other workers hold at this moment: busy ones, or dead ones that were not rescued yet.
    ///
    /// - Parameter name: of the caller, whose claims are left out; nil: all claims. If several workers have that name (a
    ///   restarted container keeps its name), the newest one is meant.
    public static func claims(
        in database: Database, hubs: [String], notOf name: String? = nil
    ) async throws(DatabaseError) -> [Int64] {
        try await database.single(
            "SELECT push_worker.claims_of_others_v1(\(hubs), \(name))", doing: "see what others hold"
        ) { row in try row.int64Array() }
    }

    /// How many messages these claims still hold; translations of one content count once.
    public static func held(by claims: [Int64], in database: Database) async throws(DatabaseError) -> Int64 {
        try await database.single("SELECT push_worker.count_held_v1(\(claims))", doing: "count what others hold") {
            row in
            try row.int64()
        }
    }
}
