import Postgres

/// What happened to one message, from its INSERT to its answer (`push.story_of`). Never its content.
public struct MessageStory: Sendable, Codable, Equatable {
    public struct Step: Sendable, Codable, Equatable {
        /// ISO 8601.
        public var at: String?
        /// `inserted`, `scheduled`, `waiting`, `due`, `claimed`, `posted`, `answered`, `retrying`, `paused`, `resumed`,
        /// `decided`, `sent again`, `cancelled`, `replaced`, `ended` or `erased`.
        public var step: String
        /// Of an answer the verdict, else that of the message.
        public var status: String?
        public var reason: String?
        /// Who must act on the reason.
        public var `class`: String?
        /// When a wait ends at the latest, or when the message is tried again; ISO 8601.
        public var until: String?
        /// Who enqueued, decided, cancelled or erased it.
        public var person: String?
        /// host/pid.
        public var worker: String?
        public var post: Int64?
        /// The how manyth request that carried the message, from 1.
        public var request: Int32?
        public var http: Int16?
        /// From the hand-over to the transport to the end of the answer.
        public var milliseconds: Int32?
        public var trackingID: String?
        /// The words of the hub, or what was wrong and what to do.
        public var note: String?
    }

    /// In their order; empty: there is no such message.
    public var steps: [Step]

    public init(steps: [Step]) {
        self.steps = steps
    }
}

extension MessageStory.Step {
    public init(_ step: String, at: String) {
        self.init(at: at, step: step)
    }
}

extension Messages {
    /// The steps of one message, as far as the tables record them.
    public func story(of id: Int64) async throws(DatabaseError) -> MessageStory {
        try await database.query(
            """
            SELECT push.iso(at), step, status, reason::text, class, push.iso(until), person, worker, post, request, http,
                   milliseconds, tracking_id, note
              FROM push.story_of(\(id))
            """, doing: "look up the story of message \(id)"
        ) { rows in
            MessageStory(
                steps: try rows.map { row in
                    MessageStory.Step(
                        at: try row.stringOrNil(), step: try row.string(), status: try row.stringOrNil(),
                        reason: try row.stringOrNil(), class: try row.stringOrNil(), until: try row.stringOrNil(),
                        person: try row.stringOrNil(), worker: try row.stringOrNil(), post: try row.int64OrNil(),
                        request: try row.int32OrNil(), http: try row.int16OrNil(),
                        milliseconds: try row.int32OrNil(), trackingID: try row.stringOrNil(),
                        note: try row.stringOrNil())
                })
        }
    }
}
