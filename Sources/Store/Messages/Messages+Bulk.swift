import Postgres

/// Operations on many messages: a batch per call, so that no transaction is long and a person sees progress.
extension Messages {
    /// What one call of `cancel(campaign:run:after:)` did.
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
        // Named arguments: a campaign whose name looks like an id is not taken for a message.
        try await database.single(
            """
            SELECT cancelled, too_late, next
              FROM push.cancel(campaign => \(campaign), run => \(run), after => coalesce(\(after), ''))
            """, doing: "cancel campaign \"\(campaign)\""
        ) { row throws(DatabaseError) in
            Cancelled(cancelled: try row.int64(0), tooLate: try row.int64(1), next: try row.stringOrNil(2))
        }
    }

    /// Sends messages again that had failed for good. Written to `push.audit`.
    ///
    /// - Returns: how many had failed and are due again.
    public func retry(_ ids: [Int64]) async throws(DatabaseError) -> Int32 {
        try await database.single("SELECT push.retry(\(ids))", doing: "retry messages") { row throws(DatabaseError) in
            try row.int32(0)
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
              FROM push.retry(hub => \(hub), reason => \(reason), since => \(since)::timestamptz,
                              until => \(until)::timestamptz, after => \(after))
            """, doing: "retry the failures of hub \"\(hub)\""
        ) { row throws(DatabaseError) in Retried(messages: try row.int64(0), next: try row.stringOrNil(1)) }
    }
}
