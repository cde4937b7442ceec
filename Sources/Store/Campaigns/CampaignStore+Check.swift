import Postgres
import PushModel

/// What a run would do (`migrations/functions/campaigns/check_campaign.sql`, `stand_ins.sql`). For the roles `push_campaign` and `push_approve`.
extension CampaignStore {
    /// One thing that `check` found.
    public struct Finding: Sendable, Equatable {
        /// `error`, `warning` or `info`.
        public var level: String
        /// The member of the spec, or the hub.
        public var about: String
        public var finding: String
        public var hint: String?

        /// - Parameter level: `error`, `warning` or `info`.
        public init(_ level: String, _ about: String, _ finding: String, hint: String?) {
            (self.level, self.about, self.finding, self.hint) = (level, about, finding, hint)
        }
    }

    /// What a run would do. Sends nothing and writes nothing.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - seconds: after which a view counts as slow.
    public func check(_ name: String, revision: Int32? = nil, seconds: Int32 = 5) async throws -> [Finding] {
        try await within(seconds) { connection in
            try await connection.query(
                "SELECT level, about, finding, hint FROM push.check_campaign(\(name), \(revision))",
                doing: "check campaign \"\(name)\""
            ) { rows in
                try rows.map { row in
                    Finding(
                        try row.string(), try row.string(), try row.string(), hint: try row.stringOrNil())
                }
            }
        } ?? [
            Finding(
                "warning", "audience", "was not looked at: that took longer than \(seconds) s",
                hint: "The database is busy, or a view is slow. Check it again.")
        ]
    }

    /// How many recipients a run would have, by hub; of a view, and of a list of more than a million, an estimate.
    ///
    /// - Parameter revision: nil: the newest.
    /// - Returns: nil: counting them took longer.
    public func recipients(
        of name: String, revision: Int32? = nil, seconds: Int32 = 5
    ) async throws -> [String: Int64]? {
        try await within(seconds) { connection in
            let counts = try await connection.query(
                "SELECT hub, recipients FROM push.recipients_of_campaign(\(name), \(revision))",
                doing: "count the recipients of campaign \"\(name)\""
            ) { rows in try rows.map { row in (try row.string(), try row.int64()) } }
            return Dictionary(counts) { first, _ in first }
        }
    }

    /// - Returns: nil: it took longer.
    func within<T>(
        _ seconds: Int32, _ body: nonisolated(nonsending) (Connection) async throws -> T
    ) async throws -> T? {
        do {
            return try await database.withTransaction { connection in
                try await connection.execute("SET LOCAL statement_timeout = '\(raw: "\(seconds)")s'")
                return try await body(connection)
            }
        } catch let error as DatabaseError where error.is(.queryCancelled) {
            return nil
        }
    }

    static func texts(
        of name: String, _ revision: Int32?, over connection: Connection
    ) async throws -> [Texts] {
        try await connection.query(
            """
            SELECT hub, localization = 'tags', languages, words, fallback, plain_fallback, property_pattern, allow_broadcast,
                   kind, pack_tags, tags_are_topics, broadcast_topic, format, headers, own_fallback, locales, texts,
                   pack, priority
              FROM push.texts_of_campaign(\(name), \(revision))
            """, doing: "read what campaign \"\(name)\" says"
        ) { rows in
            try rows.map { row in
                var hub = HubSettings(name: try row.string())
                hub.localization = try row.bool() ? .tags : .properties
                let languages = try row.stringArray()
                hub.languages = Dictionary(zip(languages, try row.stringArray())) { first, _ in first }
                hub.fallback = try row.stringOrNil()
                hub.plainFallback = try row.bool()
                hub.propertyPattern = try row.string()
                hub.allowBroadcast = try row.bool()
                // A kind that a newer build has registered is planned as the first one: its own build checks it.
                hub.kind = HubKind(rawValue: try row.string()) ?? .notificationHubs
                hub.packTags = try row.boolOrNil() ?? hub.packTags
                hub.tagsAreTopics = try row.bool()
                hub.broadcastTopic = try row.stringOrNil()
                let content = RunContent(
                    id: 1, format: try row.string(), headers: try row.stringOrNil(), fallback: try row.stringOrNil(),
                    texts: Dictionary(zip(try row.stringArray(), try row.stringArray())) { first, _ in first })
                return Texts(
                    hub: hub, content: content, packs: try row.bool(),
                    priority: Priority(rawValue: try row.int16()) ?? .bulk)
            }
        }
    }

    static func sample(
        of name: String, _ revision: Int32?, _ most: Int32, over connection: Connection
    ) async throws -> [Sample] {
        let hubs = try await texts(of: name, revision, over: connection)
        let standIns = try await standIns(of: name, revision, most, over: connection)
        return hubs.map { Sample(texts: $0, standIns: standIns[$0.hub.name] ?? []) }
    }

    /// By hub.
    private static func standIns(
        of name: String, _ revision: Int32?, _ most: Int32, over connection: Connection
    ) async throws -> [String: [StandIn]] {
        let all = try await connection.query(
            """
            SELECT s.hub, s.recipients, s.left_out, s.refused, s.target, s.tag, s.locale, s.is_late, s.twin, s.target_twin,
                   v.names, v.kinds, v.written, v.bytes, v.escapes
              FROM push.stand_ins_of_campaign(\(name), \(revision), \(most)) s,
                   LATERAL (
                       SELECT coalesce(array_agg(p.key), '{}') AS names, coalesce(array_agg(p.value ->> 'kind'), '{}') AS kinds,
                              coalesce(array_agg(coalesce((p.value ->> 'written')::bigint, 0)), '{}') AS written,
                              coalesce(array_agg(coalesce((p.value ->> 'bytes')::bigint, 0)), '{}') AS bytes,
                              coalesce(array_agg(coalesce((p.value ->> 'escapes')::bigint, 0)), '{}') AS escapes
                         FROM jsonb_each(s.properties) p) v
            """, doing: "read recipients of campaign \"\(name)\""
        ) { rows in
            try rows.map { row in
                let hub = try row.string()
                var standIn = StandIn(.planned(.broadcast), recipients: try row.int64())
                let (leftOut, refused) = (try row.stringOrNil(), try row.stringOrNil())
                let (target, tag) = (try row.stringOrNil(), try row.stringOrNil())
                standIn.locale = try row.stringOrNil()
                standIn.isLate = try row.boolOrNil() ?? false
                standIn.twin = try row.int64OrNil() ?? 0
                standIn.targetTwin = try row.int64OrNil() ?? 0
                let names = try row.stringArray()
                let kinds = try row.stringArray()
                let (written, bytes) = (try row.int64Array(), try row.int64Array())
                let escapes = try row.int64Array()
                for (index, name) in names.enumerated() {
                    standIn.values[name] = StandIn.Value(
                        StandIn.Value.Kind(rawValue: kinds[index]) ?? .text, written: Int(written[index]),
                        bytes: Int(bytes[index]), escapes: Int(escapes[index]))
                }
                if let leftOut {
                    standIn.fate = .leftOut(leftOut)
                } else if let refused {
                    standIn.fate = .refused(refused)
                } else if let tag {
                    standIn.fate = .planned(.tag(tag))
                } else if target == "handle" {
                    standIn.fate = .planned(.handle)
                }
                return (hub, standIn)
            }
        }
        return Dictionary(grouping: all, by: \.0).mapValues { $0.map(\.1) }
    }
}
