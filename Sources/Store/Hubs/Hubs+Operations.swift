import Postgres
import PushModel

/// What people decide about hubs. Each is written to `push.audit`.
extension Hubs {
    /// Opens a hub's gate although it asked to wait: the next post shows whether it still means it.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func openGate(_ name: String) async throws(DatabaseError) {
        _ = try await database.execute("SELECT push.open_gate(\(name))", doing: "open the gate of hub \"\(name)\"")
    }

    /// Posts per second over all workers; nil: as the settings say.
    ///
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 22023 for a rate that is none.
    public func setRate(_ name: String, _ rate: Double?) async throws(DatabaseError) {
        _ = try await database.execute(
            "SELECT push.set_rate(\(name), (\(rate))::real)", doing: "set the rate of hub \"\(name)\"")
    }
}
