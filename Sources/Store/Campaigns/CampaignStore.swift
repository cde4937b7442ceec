import Postgres

/// What the commands of `fanfare campaign` ask of the database. All of it is in SQL, too: `push.create_campaign` and its
/// like, for the roles `push_campaign` and `push_operator`.
public struct CampaignStore: Sendable {
    let database: Database

    public init(database: Database) {
        self.database = database
    }

    /// Keeps what a campaign says and to whom.
    ///
    /// - Parameter spec: JSON.
    /// - Returns: the newest revision, and whether this call changed something.
    /// - Throws: `DatabaseError` 23514 with the member that is wrong and a hint.
    public func create(
        _ name: String, spec: String, draft: Bool
    ) async throws(DatabaseError) -> (revision: Int32, changed: Bool) {
        try await database.single(
            "SELECT revision, changed FROM push.create_campaign(\(name), (\(spec))::json, \(draft))",
            doing: "create campaign \"\(name)\""
        ) { row in (try row.int32(), try row.bool()) }
    }

    /// What the newest revision says that can be sent and is likely a mistake, each with what to do.
    public func remarks(_ name: String) async throws(DatabaseError) -> [(remark: String, hint: String)] {
        try await database.query(
            "SELECT remark, hint FROM push.campaign_remarks(\(name))", doing: "read campaign \"\(name)\""
        ) { rows in
            try rows.map { row in (try row.string(), try row.string()) }
        }
    }

    /// Starts the newest revision, once for each key.
    ///
    /// - Returns: false: a run of that key was there already.
    public func start(
        _ name: String, key: String, bypassingSuppression: Bool = false
    ) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT started FROM push.start_run(\(name), \(key), \(bypassingSuppression))",
            doing: "run campaign \"\(name)\""
        ) { row in try row.bool() }
    }

    /// Sets for how many days it is kept whom campaigns with a cap reached.
    ///
    /// - Parameter days: 1 to 366.
    /// - Returns: false: it was so already.
    public func remember(caps days: Int32) async throws(DatabaseError) -> Bool {
        try await database.single("SELECT push_worker.remember_caps_v1(\(days))", doing: "set caps.rememberDays") {
            row in
            try row.bool()
        }
    }

    /// Puts a campaign away: it is left out of the list, and cannot be started or changed.
    ///
    /// - Throws: `DatabaseError` 55000 while a run of it is open.
    public func archive(_ name: String) async throws(DatabaseError) {
        try await database.execute("SELECT push.archive_campaign(\(name))", doing: "archive campaign \"\(name)\"")
    }

    /// Brings back what was archived, as it was.
    public func unarchive(_ name: String) async throws(DatabaseError) {
        try await database.execute("SELECT push.unarchive_campaign(\(name))", doing: "unarchive campaign \"\(name)\"")
    }

    /// - Parameter rate: messages a second; nil: as fast as the hubs take them.
    public func setRate(_ name: String, key: String?, rate: Double?) async throws(DatabaseError) {
        try await database.execute(
            "SELECT push.set_run_rate(\(name), \(key), (\(rate))::real)", doing: "set the rate of campaign \"\(name)\"")
    }

    /// What one call of a steering function did.
    public struct Step: Sendable, Equatable {
        /// Of the run. The next call goes on with it: the newest run may be another one by then.
        public var key: String
        public var messages: Int64
        /// Messages on the wire; counted by the last call.
        public var onTheWire: Int64
        /// Where the next call continues; nil: done.
        public var next: String?
    }

    /// A steering function that works in batches.
    public enum Steering: Sendable {
        case pause(reason: String?)
        case resume
        case cancel
        /// Send again what failed, or what failed for one reason.
        case retry(reason: String?)
        /// Decide what is in doubt: `accepted`, `rejected` or `resend`.
        case resolve(decision: String)
    }

    /// One batch. Written to `push.audit`.
    ///
    /// - Parameters:
    ///   - key: of the run; nil: the newest. Where `after` is given, that of the call before.
    ///   - after: `next` of the call before; nil: from the beginning.
    ///   - batch: messages at most, of a pause, resume or cancel; nil: 10,000.
    public func steer(
        _ name: String, key: String?, _ steering: Steering, after: String?, batch: Int32? = nil
    ) async throws(DatabaseError) -> Step {
        let call: SQL
        let doing: String
        switch steering {
        case .pause(let reason):
            doing = "pause"
            call = """
                SELECT key, paused, on_the_wire, next
                  FROM push.pause_run(\(name), \(key), \(reason), \(after), \(batch ?? 10_000))
                """
        case .resume:
            doing = "resume"
            call = """
                SELECT key, resumed, 0::bigint, next::text FROM push.resume_run(\(name), \(key), (\(after))::bigint, \(batch ?? 10_000))
                """
        case .cancel:
            doing = "cancel"
            call =
                "SELECT key, cancelled, too_late, next FROM push.cancel_run(\(name), \(key), \(after), \(batch ?? 10_000))"
        case .retry(let reason):
            doing = "send again what failed of"
            call = """
                SELECT key, retried, 0::bigint, next::text
                  FROM push.retry_run(\(name), \(key), \(reason), (\(after))::bigint)
                """
        case .resolve(let decision):
            doing = "decide what is in doubt of"
            call = """
                SELECT key, resolved, 0::bigint, next::text
                  FROM push.resolve_run(\(name), \(key), \(decision), (\(after))::bigint)
                """
        }
        return try await database.single(call, doing: "\(doing) campaign \"\(name)\"") { row in
            Step(
                key: try row.string(), messages: try row.int64(), onTheWire: try row.int64OrNil() ?? 0,
                next: try row.stringOrNil())
        }
    }
}
