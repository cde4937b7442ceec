import Postgres
import PushModel

extension CampaignStore {
    /// What a revision says, on each of its hubs with the settings that are registered. For the roles `push_campaign` and
    /// `push_approve`.
    ///
    /// - Parameter revision: nil: the newest.
    public func texts(
        of name: String, revision: Int32? = nil
    ) async throws -> [Texts] {
        try await database.withConnection { connection in
            try await Self.texts(of: name, revision, over: connection)
        }
    }

    /// The tags that the audience of a revision names, or its expression; empty: it is for everybody, or a list or a view has
    /// them.
    ///
    /// - Parameter revision: nil: the newest.
    public func tags(of name: String, revision: Int32? = nil) async throws(DatabaseError) -> [String] {
        try await database.query(
            """
            SELECT a.tag
              FROM push.campaign c
                   JOIN push.campaign_revision r ON r.campaign = c.id AND r.revision = coalesce(\(revision), c.revision),
                   LATERAL (SELECT e.value #>> '{}', e.nth
                              FROM json_array_elements(
                                       CASE json_typeof(r.spec -> 'audience' -> 'tags')
                                           WHEN 'array' THEN r.spec -> 'audience' -> 'tags'
                                       END) WITH ORDINALITY e(value, nth)
                             UNION ALL
                            SELECT r.spec -> 'audience' ->> 'expression', 0) a(tag, nth)
             WHERE c.name = \(name)
               AND a.tag IS NOT NULL
             ORDER BY a.nth
            """, doing: "read the tags of campaign \"\(name)\""
        ) { rows in try rows.map { row in try row.string() } }
    }

    /// What a revision says on a hub.
    public struct Texts: Sendable {
        public let hub: HubSettings
        public let content: RunContent
        /// Whether its messages may share a post (`pack` of the spec).
        public let packs: Bool
        /// Of its messages.
        public let priority: Priority
    }

    /// What a revision says on a hub, and its first recipients there, without anything of theirs.
    public struct Sample: Sendable {
        public let texts: Texts
        public let standIns: [StandIn]

        public var hub: HubSettings { texts.hub }
        public var content: RunContent { texts.content }
        /// What would become of them, by the planner that sends.
        public var forecast: Forecast { Forecast(standIns, of: hub, saying: content) }

        /// The messages that they would become.
        ///
        /// - Parameter audience: recipients in all; nil: not known.
        public func plan(ofAll audience: Int64? = nil) -> SamplePlan {
            SamplePlan(
                standIns, of: hub, saying: content, packs: texts.packs, priority: texts.priority, audience: audience)
        }
    }

    /// Reads the first recipients on each hub, once. Sends nothing and writes nothing.
    ///
    /// - Parameters:
    ///   - revision: nil: the newest.
    ///   - most: recipients that are read, 1 to 10,000.
    /// - Returns: nil: reading them took longer.
    /// - Throws: also `DatabaseError` 23514 for a spec that cannot be run.
    public func sample(
        of name: String, revision: Int32? = nil, most: Int32 = 1000, seconds: Int32 = 5
    ) async throws -> [Sample]? {
        try await within(seconds) { connection in try await Self.sample(of: name, revision, most, over: connection) }
    }

    /// The same without recipients, where reading them takes too long: values are taken to be short.
    public func withoutRecipients(of name: String, revision: Int32? = nil) async throws -> [Sample] {
        try await texts(of: name, revision: revision).map { Sample(texts: $0, standIns: []) }
    }
}
