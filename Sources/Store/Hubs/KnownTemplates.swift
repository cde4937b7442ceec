import Postgres
import PushModel

/// The templates that devices of hubs are known to have.
package enum KnownTemplates {
    /// What most devices have comes first.
    package static func templates(of hub: String, in database: Database) async throws -> [PreviewTemplate] {
        try await DeviceTemplates(database: database).known(at: hub).compactMap { PreviewTemplate($0) }
    }

    /// What is said where none is known.
    package static func none(of hub: String) -> String { "no template of hub \(hub) is known: \(remedy(of: hub))" }

    /// How they become known.
    package static func remedy(of hub: String) -> String { "fanfare template learn --hub \(hub)" }
}
