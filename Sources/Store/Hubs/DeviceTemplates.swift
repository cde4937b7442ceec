import Postgres
import PushModel

/// The templates that devices of hubs have, as far as they are known. The SQL is in
/// `migrations/functions/devices/templates.sql`.
public struct DeviceTemplates: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// One row of `push.device_templates`.
    public struct Entry: Sendable, Equatable {
        public var hub: String
        public var template: PlatformTemplate
        /// Names it.
        public var hash: String
        /// How many devices were looked at; 0: it was learned by itself.
        public var of: Int64
        /// When a device with it changed last, ISO 8601.
        public var seenAt: String
    }

    /// What is known of a hub: what most devices have comes first. Empty where nothing is known, or no hub has that name.
    ///
    /// - Throws: `DatabaseError` 42501 for a login in none of push_campaign, push_approve, push_monitor.
    public func known(at hub: String) async throws(DatabaseError) -> [PlatformTemplate] {
        try await entries(hub: hub).map(\.template)
    }

    /// Hub by hub, what most devices have first.
    ///
    /// - Parameters:
    ///   - hub: nil: of all hubs.
    ///   - template: its name, or the beginning of its hash with at least 4 characters; nil: all.
    /// - Throws: as `known`.
    public func entries(hub: String?, template: String? = nil) async throws(DatabaseError) -> [Entry] {
        try await database.query(
            """
            SELECT hub, platform, name, body, headers::text, devices, expiry, hash, of, push.iso(seen_at)
              FROM push.device_templates
             WHERE (\(hub)::text IS NULL OR hub = \(hub))
               AND (\(template)::text IS NULL OR name = \(template)
                    OR length(\(template)) >= 4 AND starts_with(hash, \(template)))
             ORDER BY hub, devices DESC, platform, name, hash
            """, doing: "read templates of devices"
        ) { rows in
            try rows.map { row in
                Entry(
                    hub: try row.string(), template: try PlatformTemplate(&row), hash: try row.string(),
                    of: try row.int64(), seenAt: try row.string())
            }
        }
    }

    /// Keeps what was found on all devices of a hub. Written to `push.audit`.
    ///
    /// - Returns: how many rows changed.
    /// - Throws: `DatabaseError` P0002 when no hub has that name, 55000 for a kind that keeps no devices.
    @discardableResult
    public func learn(_ census: TemplateCensus, at hub: String) async throws(DatabaseError) -> Int32 {
        try await learn(Columns(census.found().map(\.template)), of: census.devices, at: hub)
    }

    /// Keeps a template of which nobody counted the devices. Written to `push.audit`.
    ///
    /// - Returns: whether it was not known.
    /// - Throws: as for many.
    @discardableResult
    public func learn(_ template: PlatformTemplate, at hub: String) async throws(DatabaseError) -> Bool {
        var template = template
        template.devices = 0
        let isKnown = try await entries(hub: hub).contains { entry in
            var known = entry.template
            known.devices = 0
            return known == template
        }
        _ = try await learn(Columns([template]), of: 0, at: hub)
        return !isKnown
    }

    private func learn(_ columns: Columns, of devices: Int64, at hub: String) async throws(DatabaseError) -> Int32 {
        try await database.single(
            """
            SELECT push.learn_templates(\(hub), \(columns.platforms), \(columns.names), \(columns.bodies),
                                        \(columns.headers), \(columns.expiries), \(columns.devices), \(devices))
            """, doing: "learn the templates of hub \"\(hub)\""
        ) { row in try row.int32() }
    }

    /// Forgets templates of a hub. Written to `push.audit`.
    ///
    /// - Parameter template: as for `entries`; nil: all.
    /// - Returns: how many.
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func forget(_ template: String?, at hub: String) async throws(DatabaseError) -> Int32 {
        try await database.single(
            "SELECT push.forget_templates(\(hub), \(template))", doing: "forget templates of hub \"\(hub)\""
        ) { row in try row.int32() }
    }

    /// The newest changes of devices of all hubs, in the order of their ids: at most 2,000, and 8 MB. For a worker.
    ///
    /// - Parameter id: empty where no change is newer than it.
    public func newestChanges(behind id: Int64) async throws(DatabaseError) -> [TemplateCensus.Change] {
        try await database.query(
            """
            SELECT id, hub, device, action::text, document::text, extract(epoch FROM at)::double precision
              FROM push_worker.newest_changes_v1(\(id))
            """, doing: "read the newest changes of devices"
        ) { rows in
            try rows.map { row in
                TemplateCensus.Change(
                    id: try row.int64(), hub: try row.int32(), device: try row.string(),
                    action: DeviceChange.Action(rawValue: try row.string()) ?? .patch, document: try row.string(),
                    at: try row.double())
            }
        }
    }

    /// Keeps what was found in the newest changes of a hub. For a worker.
    ///
    /// - Parameter hub: `push.hub.id`
    /// - Returns: how many rows changed; nil: another session is at it, or the hub was removed.
    @discardableResult
    public func keep(_ census: TemplateCensus, at hub: Int32) async throws(DatabaseError) -> Int32? {
        let found = census.found()
        let columns = Columns(found.map(\.template))
        return try await database.single(
            """
            SELECT push_worker.keep_templates_v1(
                       \(hub), \(columns.platforms), \(columns.names), \(columns.bodies), \(columns.headers),
                       \(columns.expiries), \(columns.devices), \(found.map(\.seenAt)), \(census.devices))
            """, doing: "keep the templates of devices"
        ) { row in try row.int32OrNil() }
    }

    /// Templates as arrays, one element each.
    private struct Columns {
        let platforms: [String]
        let names: [String]
        let bodies: [String]
        let headers: [String?]
        let expiries: [String?]
        let devices: [Int64]

        init(_ templates: [PlatformTemplate]) {
            platforms = templates.map(\.platform)
            names = templates.map(\.name)
            bodies = templates.map(\.body)
            headers = templates.map(\.headersJSON)
            expiries = templates.map(\.expiry)
            devices = templates.map(\.devices)
        }
    }
}

extension PlatformTemplate {
    /// Of the columns platform, name, body, headers, devices and expiry.
    init(_ row: inout Row) throws {
        let (platform, name, body) = (try row.string(), try row.string(), try row.string())
        // Checked by push.learn_templates and by the worker.
        let headers = try row.stringOrNil().flatMap { try? StringObject($0) }?.pairs ?? []
        self.init(
            platform: platform, name: name, body: body,
            headers: Dictionary(headers.map { ($0.name, $0.value) }) { $1 }, devices: try row.int64(),
            expiry: try row.stringOrNil())
    }
}
