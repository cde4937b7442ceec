import Postgres

extension Messages {
    /// Enqueues, looks at what claims would take of it, and rolls back: afterwards only the ids are used up. Keys, duplicates
    /// and what is there already count as they would.
    ///
    /// - Parameter body: gets a reader of the same transaction, and what became of each message, in the order given. Its ids are
    ///   what `PlanReader.claim` takes as `only`.
    /// - Throws: what `body` throws, and `DatabaseError`: for the same reasons as `enqueue`, and 42501 when the login is no
    ///   member of `push_enqueue` and `push_worker`.
    public nonisolated(nonsending) func rehearse<T>(
        _ messages: [NewMessage], peeking body: nonisolated(nonsending) (PlanReader, [Enqueued]) async throws -> T
    ) async throws -> T {
        try await rehearsal { rehearsal in
            let enqueued = try await rehearsal.enqueue(messages)
            return try await body(rehearsal.reader, enqueued)
        }
    }

    /// The same for a file that is read piece by piece: `body` enqueues as often as it likes, and looks when it likes.
    public nonisolated(nonsending) func rehearsal<T>(
        _ body: nonisolated(nonsending) (Rehearsal) async throws -> T
    ) async throws -> T {
        try await database.withRollback { connection in
            try await body(Rehearsal(reader: try await PlanReader(connection), connection: connection))
        }
    }

    /// A transaction that is rolled back. Each of its statements may take 5 s: nothing waits long for a backend that uses the
    /// same `dedupe_key`.
    public struct Rehearsal: Sendable {
        public let reader: PlanReader
        fileprivate let connection: Connection

        /// With one statement, as `Messages.enqueue`.
        public func enqueue(_ messages: [NewMessage]) async throws -> [Enqueued] {
            try await Messages.enqueue(messages, on: connection)
        }
    }
}
