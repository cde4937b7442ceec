import Postgres

/// A name under which only one process runs at a time, over all machines: a row of `push.drain`.
///
/// Not a lock of the database: an advisory lock can be taken by any login, and a transaction that is as long as the run
/// would keep vacuum from cleaning the queue. The price: after a process is killed, its name stays taken for one lease.
public struct RunLease: Sendable {
    let database: Database
    public let name: String
    private let seconds: Double
    private let holder = Int64.random(in: .min ... .max)

    /// - Parameter seconds: the lease: after this time without a `hold` the name is free.
    public init(database: Database, name: String, seconds: Double) {
        self.database = database
        self.name = name
        self.seconds = seconds
    }

    /// Takes the name, or keeps it for another lease.
    ///
    /// - Returns: false: another process has it.
    public func hold() async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push_worker.hold_drain_v1(\(name), \(holder), (\(seconds))::real)", doing: "take the lock \(name)"
        ) { row in try row.bool() }
    }

    /// Frees the name at once.
    public func end() async throws(DatabaseError) {
        try await database.execute(
            "SELECT push_worker.end_drain_v1(\(name), \(holder))", doing: "release the lock \(name)")
    }
}
