import Postgres

extension Messages {
    /// Enqueues, looks at what claims would take of it, and rolls back: afterwards only the ids are used up. Keys, duplicates and
    /// what is there already count as they would.
    ///
    /// - Parameter body: enqueues as often as it likes, and looks when it likes. The first id that was inserted is what
    ///   `PlanReader.claim` takes as `insertedFrom`.
    /// - Throws: what `body` throws, and `DatabaseError`: for the same reasons as `enqueue`, and 42501 when the login is no
    ///   member of `push_enqueue` and `push_worker`.
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

        /// The database's time, in seconds since 1970: a row is due when it was inserted, after the transaction began.
        public func now() async throws(DatabaseError) -> Double {
            try await connection.query("SELECT date_part('epoch', clock_timestamp())", doing: "read the time") { rows in
                try rows.single { row in try row.double() }
            }
        }

        /// With one statement, as `Messages.enqueue`.
        public func enqueue(_ messages: [NewMessage]) async throws -> [Enqueued] {
            try await Messages.enqueue(messages, on: connection)
        }

        /// The same; where it fails, what was enqueued before stays. At most 60 times may something be kept: a transaction with
        /// more than 64 parts that wrote something makes every statement of other sessions dearer.
        ///
        /// - Parameter keeps: false: it is undone in any case.
        @discardableResult
        public func attempt(_ messages: [NewMessage], keeps: Bool = true) async throws -> [Enqueued] {
            try await connection.execute("SAVEPOINT attempt", doing: "begin a part of a transaction")
            let enqueued: [Enqueued]
            do {
                enqueued = try await enqueue(messages)
                if !keeps { try await connection.execute("ROLLBACK TO attempt", doing: "undo a part of a transaction") }
            } catch {
                // If it fails, so does what comes next; the first error is the one to report.
                _ = try? await connection.execute("ROLLBACK TO attempt")
                _ = try? await connection.execute("RELEASE attempt")
                throw error
            }
            try await connection.execute("RELEASE attempt", doing: "end a part of a transaction")
            return enqueued
        }
    }
}
