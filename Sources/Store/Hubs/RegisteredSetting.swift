import Postgres

/// One registered setting of a hub: a row of `push.hub_settings`. No secret is among them.
public struct RegisteredSetting: Sendable, Equatable {
    /// As in the configuration: `window`.
    public var name: String
    /// As text; an object as JSON. nil: it is not set.
    public var value: String?

    /// By name; empty: a person added the hub, and no configuration has it yet.
    public static func all(of hub: String, from database: Database) async throws(DatabaseError) -> [RegisteredSetting] {
        try await database.query(
            "SELECT setting, value FROM push.hub_settings WHERE hub = \(hub) ORDER BY setting",
            doing: "read push.hub_settings"
        ) { rows in
            try rows.map { row in RegisteredSetting(name: try row.string(), value: try row.stringOrNil()) }
        }
    }
}
