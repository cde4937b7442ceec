import Postgres

/// Whether changes of devices are applied at one hub now: a row of `push.device_backlog` without its counts.
public struct DeviceGate: Sendable, Equatable {
    /// `open`, `closed` or `paused`.
    public var state: String
    /// nil: it is open.
    public var why: String?
    /// When they are applied again; nil: it is open, or a person paused the hub.
    public var until: Timestamp?

    /// - Returns: nil: no hub of that name is registered.
    public static func read(_ hub: String, from database: Database) async throws(DatabaseError) -> DeviceGate? {
        try await database.query(
            "SELECT state, why, until FROM push.device_backlog WHERE hub = \(hub)", doing: "read push.device_backlog"
        ) { rows in
            try rows.first { row in
                DeviceGate(state: try row.string(), why: try row.stringOrNil(), until: try row.timestampOrNil())
            }
        }
    }
}
