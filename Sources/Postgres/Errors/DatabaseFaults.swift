import Synchronization

/// What went wrong with a database until now, over all its clients.
public struct DatabaseFaults: Sendable, Equatable {
    /// Statements and attempts to connect that failed, by the class of their SQLSTATE (its first two characters); `none`:
    /// no server answered.
    public var errors: [String: Int] = [:]
    /// How often the server answered again after a session was lost or could not be opened.
    public var reconnects = 0

    public init() {}
}

/// Counts faults for all clients of one database.
final class FaultCounts: Sendable {
    private let faults = Mutex(DatabaseFaults())

    var reading: DatabaseFaults { faults.withLock { $0 } }

    func failed(_ error: DatabaseError) {
        let name = error.sqlState.map { String($0.prefix(2)) } ?? "none"
        faults.withLock { $0.errors[name, default: 0] += 1 }
    }

    func reconnected() { faults.withLock { $0.reconnects += 1 } }
}
