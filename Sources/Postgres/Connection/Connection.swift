/// One session with the server, on a thread of its own. Lent by `Database.withConnection`; do not keep it afterwards.
///
/// Calls block only that thread and run in the order they are made. A cancelled task still waits for the server's
/// answer; a `statement_timeout` bounds that.
public actor Connection {
    private let thread: ConnectionThread
    private let faults: FaultCounts
    private var session: Session?
    nonisolated let health = ConnectionHealth()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(on thread: ConnectionThread, _ faults: FaultCounts) { (self.thread, self.faults) = (thread, faults) }

    deinit { thread.stop() }

    /// Connects.
    ///
    /// - Parameter faults: where it counts what goes wrong, from now on.
    /// - Throws: `DatabaseError` when the server cannot be reached or refuses, or the system has no thread left.
    static func open(
        _ settings: DatabaseSettings, _ preparing: PreparePolicy, _ faults: FaultCounts
    ) async throws(DatabaseError) -> Connection {
        let connection = Connection(on: try ConnectionThread(), faults)
        try await connection.connect(settings, preparing)
        return connection
    }

    private func connect(_ settings: DatabaseSettings, _ preparing: PreparePolicy) throws(DatabaseError) {
        defer { health.update(session) }
        session = try counting { () throws(DatabaseError) in try Session(settings, preparing) }
    }

    private func counting<T: ~Copyable>(_ body: () throws(DatabaseError) -> T) throws(DatabaseError) -> T {
        do {
            return try body()
        } catch {
            faults.failed(error)
            throw error
        }
    }

    /// Runs one statement and lends its rows.
    ///
    /// - Parameters:
    ///   - doing: for error texts, to follow "cannot"; by default the beginning of the statement.
    ///   - read: runs on the connection's thread.
    /// - Throws: `DatabaseError`; another error that `read` throws comes as its `underlying`.
    public func query<T: Sendable>(
        _ sql: SQL, doing: String? = nil, _ read: @Sendable (borrowing Rows) throws -> T
    ) throws(DatabaseError) -> T {
        try query(sql, doing: doing, in: nil, read)
    }

    /// - Parameter frame: of a transaction that only reads, which the statement has for itself; nil: it has none.
    func query<T: Sendable>(
        _ sql: SQL, doing: String?, in frame: TransactionFrame?, _ read: @Sendable (borrowing Rows) throws -> T
    ) throws(DatabaseError) -> T {
        try rows(sql, doing: doing, in: frame).lend(doing: doing ?? Self.summary(of: sql.text), to: read)
    }

    /// Runs one statement and returns its rows, which do not need the connection any more.
    public func rows(_ sql: SQL, doing: String? = nil) throws(DatabaseError) -> Rows {
        try rows(sql, doing: doing, in: nil)
    }

    /// - Parameter frame: of a transaction that only reads, which the statement has for itself; nil: it has none.
    func rows(_ sql: SQL, doing: String?, in frame: TransactionFrame?) throws(DatabaseError) -> Rows {
        let doing = doing ?? Self.summary(of: sql.text)
        defer { health.update(session) }
        return try counting { () throws(DatabaseError) in try openSession(doing).run(sql, doing: doing, in: frame) }
    }

    /// Runs one statement.
    ///
    /// - Returns: the number of rows it inserted, updated, deleted or selected.
    @discardableResult
    public func execute(_ sql: SQL, doing: String? = nil) throws(DatabaseError) -> Int {
        try rows(sql, doing: doing).affected
    }

    /// Runs many statements in one text, in the simple protocol: all in one transaction, unless the text has
    /// transactions of its own. The first error ends it.
    public func script(_ text: String, doing: String? = nil) throws(DatabaseError) {
        let doing = doing ?? Self.summary(of: text)
        defer { health.update(session) }
        try counting { () throws(DatabaseError) in try openSession(doing).script(text, doing: doing) }
    }

    /// - Throws: `DatabaseError` also when the server rolled back instead, because a statement had failed before.
    func commit() throws(DatabaseError) {
        let rows = try rows("COMMIT", doing: "commit")
        guard rows.command == "COMMIT" else {
            throw DatabaseError(
                doing: "commit", sqlState: SQLState.inFailedTransaction.rawValue,
                message: "a statement of the transaction had failed: rolled back")
        }
    }

    /// Reads input that arrived while the connection was idle.
    ///
    /// - Returns: whether the session is still usable.
    func drainInput() -> Bool {
        session?.drainInput()
        health.update(session)
        return health.isReusable
    }

    /// Ends the session. Afterwards every call throws.
    func close() {
        session = nil
        health.update(nil)
    }

    /// The process number the server gave when we connected; a pooler makes one up. nil: the connection is closed.
    public var announcedProcess: Int32? { session?.announcedProcess }

    /// Whether the server takes changes: it is no standby, and transactions are not read-only.
    func takesChanges() throws(DatabaseError) -> Bool {
        try query("SELECT pg_catalog.current_setting('transaction_read_only')", doing: "see whether it takes changes") {
            rows in try rows.single { row in try row.string() } == "off"
        }
    }

    /// The settings that break one of these rules in this session.
    func brokenSettings(_ settings: [SessionSetting]) throws(DatabaseError) -> [BrokenSetting] {
        let announced = announcedProcess
        return try query(settings.query, doing: "read the settings of the server") { rows in
            try rows.map { row in
                let name = try row.string()
                let value = try row.string() + (try row.stringOrNil().map { " " + $0 } ?? "")
                return BrokenSetting(
                    name: name, value: value, source: try row.string(),
                    needed: settings.first { $0.name == name }?.value ?? "", isPooled: try row.int32() != announced,
                    login: try row.string(), database: try row.string())
            }
        }
    }

    private func openSession(_ doing: String) throws(DatabaseError) -> Session {
        guard let session else {
            throw DatabaseError(doing: doing, message: "the connection is closed", isTransient: true)
        }
        return session
    }

    /// The beginning of a statement, on one line. A statement holds no values, so no secrets.
    private static func summary(of text: String) -> String {
        let line = ErrorFields.line(String(text.prefix(120)))
        return "run \"" + line.prefix(60) + (line.count > 60 ? "…\"" : "\"")
    }
}
