import PushModel
import Store

/// The templates that devices of hubs are known to have.
enum KnownTemplates {
    static func templates(of hub: String, in database: Database) async throws -> [PreviewTemplate] { [] }

    /// What is said where none is known.
    static func none(of hub: String) -> String { "no template of hub \(hub) is known: \(remedy(of: hub))" }

    /// How they become known.
    static func remedy(of hub: String) -> String { "fanfare template learn --hub \(hub)" }
}
