import Postgres

/// Operations on many messages: a batch per call, so that no transaction is long and a person sees progress.
extension Messages {
    /// What one call of `cancel(campaign:run:after:)` or `cancel(hub:after:)` did.
    public struct Cancelled: Sendable, Equatable {
        public var cancelled: Int64
        /// Messages on the wire at the end; counted by the last call.
        public var tooLate: Int64
        /// Where the next call continues; nil: done.
        public var next: String?
    }

    /// What one call of `retry(hub:reason:since:until:after:)` did.
    public struct Retried: Sendable, Equatable {
        public var messages: Int64
        /// Where the next call continues; nil: done.
        public var next: String?
    }

    /// Cancels the pending messages of a campaign, or of one run of it. Written to `push.audit`.
    ///
    /// - Parameter after: `next` of the call before; nil: from the beginning.
    public func cancel(campaign: String, run: String?, after: String?) async throws(DatabaseError) -> Cancelled {
        try await database.single(
            "SELECT cancelled, too_late, next FROM push.cancel_campaign(\(campaign), \(run), after => \(after))",
            doing: "cancel campaign \"\(campaign)\"", Self.cancelled)
    }

    /// Cancels the pending messages of a hub, such as one that was taken out of the configuration. Written to
    /// `push.audit`.
    ///
    /// - Parameter after: `next` of the call before; nil: from the beginning.
    /// - Throws: `DatabaseError` P0002 for a hub that is not registered.
    public func cancel(hub: String, after: String?) async throws(DatabaseError) -> Cancelled {
        try await database.single(
            "SELECT cancelled, too_late, next FROM push.cancel_hub(\(hub), after => \(after))",
            doing: "cancel the messages of hub \"\(hub)\"", Self.cancelled)
    }

    private static func cancelled(_ row: inout Row) throws(DatabaseError) -> Cancelled {
        Cancelled(cancelled: try row.int64(), tooLate: try row.int64(), next: try row.stringOrNil())
    }

    /// What became of a message that was to be erased.
    public struct Erased: Sendable, Codable, Equatable {
        public enum Outcome: String, Sendable, Codable {
            case erased
            /// Its post is on the wire: try again.
            case busy
            /// No message has that id.
            case unknown
        }

        public var id: Int64
        public var outcome: Outcome
    }

    /// Removes what messages say and to whom they go, and cancels what is pending. Written to `push.audit`, without the
    /// texts.
    ///
    /// - Parameter ids: at most 1,000.
    /// - Returns: one for each id, in the order given.
    public func erase(_ ids: [Int64]) async throws(DatabaseError) -> [Erased] {
        try await database.query("SELECT id, outcome FROM push.erase(\(ids))", doing: "erase messages") { rows in
            try rows.map { row in
                Erased(id: try row.int64(), outcome: Erased.Outcome(rawValue: try row.string()) ?? .busy)
            }
        }
    }

    /// Sends messages again that had failed for good. Written to `push.audit`.
    ///
    /// - Returns: how many had failed and are due again.
    /// - Throws: `DatabaseError` 55000 when one of them was erased; then nothing is sent again.
    public func retry(_ ids: [Int64]) async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT push.retry(\(ids))", doing: "retry messages") { row in
            try row.int32()
        }
    }

    /// Sends the failures of a hub again. Written to `push.audit`.
    ///
    /// - Parameters:
    ///   - reason: a word of `push.reason`; nil: any.
    ///   - since: the earliest time they failed, in any form PostgreSQL reads; nil: no limit. `until` is the latest. Both are
    ///     included.
    ///   - after: `next` of the call before; nil: from the beginning.
    /// - Throws: `DatabaseError` P0002 for a hub that is not registered, 22… for an invalid value.
    public func retry(
        hub: String, reason: String?, since: String?, until: String?, after: String?
    ) async throws(DatabaseError) -> Retried {
        try await database.single(
            """
            SELECT retried, next
              FROM push.retry_failed(hub => \(hub), reason => \(reason), since => \(since)::timestamptz,
                                     until => \(until)::timestamptz, after => \(after))
            """, doing: "retry the failures of hub \"\(hub)\""
        ) { row in Retried(messages: try row.int64(), next: try row.stringOrNil()) }
    }
}
