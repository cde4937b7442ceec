import Postgres

/// A session that waits for a lock on a table of ours, and the session that has it: a row of `push.lock_waits`.
public struct LockWait: Sendable, Equatable {
    /// Seconds it has waited.
    public var seconds: Double
    /// The table; `a row`: a row of one.
    public var table: String
    /// Process id of the session that has the lock; nil: a prepared transaction.
    public var holder: Int32?
    public var role: String?
    public var application: String?
    /// `idle in transaction`, `active`; nil: not known.
    public var state: String?
    /// Seconds since its transaction began; nil: not known.
    public var openSeconds: Double?

    public init(
        seconds: Double, table: String, holder: Int32? = nil, role: String? = nil, application: String? = nil,
        state: String? = nil, openSeconds: Double? = nil
    ) {
        self.seconds = seconds
        self.table = table
        self.holder = holder
        self.role = role
        self.application = application
        self.state = state
        self.openSeconds = openSeconds
    }

    /// `push.due, locked by session 4711 (anna, psql, idle in transaction)`
    public var words: String {
        let who = [role, application, state].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ", ")
        return "\(table), locked by \(holder.map { "session \($0)" } ?? "somebody")\(who.isEmpty ? "" : " (\(who))")"
    }
}

extension Workers {
    /// The longest wait for a lock among the sessions of this role; nil: no session waits.
    public func lockWait() async throws(DatabaseError) -> LockWait? {
        try await database.query(
            """
            SELECT seconds, "for", holder, who, application, state, since_seconds FROM push_worker.lock_waits_v1()
            """, doing: "look for waits for locks"
        ) { rows in
            try rows.first { row in
                LockWait(
                    seconds: try row.double(), table: try row.string(), holder: try row.int32OrNil(),
                    role: try row.stringOrNil(), application: try row.stringOrNil(), state: try row.stringOrNil(),
                    openSeconds: try row.doubleOrNil())
            }
        }
    }
}

extension Diagnosis {
    /// Sessions that have waited for a lock for at least this time, each with what ends the wait.
    public func lockWaits(atLeast seconds: Double) async throws(DatabaseError) -> [String] {
        try await database.query(
            """
            SELECT extract(epoch FROM waited)::double precision, "for", holder, holder_who, holder_application, holder_state,
                   extract(epoch FROM now() - holder_since)::double precision, waiting, remedy
              FROM push.lock_waits
             WHERE waited >= make_interval(secs => \(seconds))
            """, doing: "read push.lock_waits"
        ) { rows in
            try rows.map { row in
                let wait = LockWait(
                    seconds: try row.double(), table: try row.string(), holder: try row.int32OrNil(),
                    role: try row.stringOrNil(), application: try row.stringOrNil(), state: try row.stringOrNil(),
                    openSeconds: try row.doubleOrNil())
                return "session \(try row.int32()) waits for \(wait.words): \(try row.string())"
            }
        }
    }
}
