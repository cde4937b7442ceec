/// One session with the server, on a thread of its own. Lent by `Database.withConnection`; not to be kept afterwards.
///
/// Calls block that thread and nobody else. They run in the order they are made, and a task that is cancelled waits for
/// the server's answer all the same: a `statement_timeout` bounds that.
public actor Connection {
    private let thread: ConnectionThread
    private var session: Session?
    nonisolated let pulse = ConnectionHealth()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private init(on thread: ConnectionThread) { self.thread = thread }

    deinit { thread.stop() }

    /// A connection that is ready.
    ///
    /// - Throws: `DatabaseError` when there is none to be had.
    static func open(_ settings: DatabaseSettings, _ preparing: PreparePolicy) async throws(DatabaseError) -> Connection
    {
        let connection = Connection(on: try ConnectionThread())
        try await connection.connect(settings, preparing)
        return connection
    }

    private func connect(_ settings: DatabaseSettings, _ preparing: PreparePolicy) throws(DatabaseError) {
        defer { pulse.feel(session) }
        session = try Session(settings, preparing)
    }

    /// Runs one statement and lends its rows.
    ///
    /// - Parameters:
    ///   - doing: for error texts, to follow "cannot"; by default the beginning of the statement.
    ///   - read: runs on the connection's thread.
    /// - Throws: `DatabaseError`; what `read` throws comes as its `underlying` unless it is one itself.
    public func query<T: Sendable>(
        _ sql: SQL, doing: String? = nil, _ read: @Sendable (borrowing Rows) throws -> T
    ) throws(DatabaseError) -> T {
        let rows = try rows(sql, doing: doing)
        do {
            return try read(rows)
        } catch let error as DatabaseError {
            throw error
        } catch {
            throw DatabaseError(
                doing: doing ?? Self.summary(of: sql.text), message: String(describing: error), underlying: error)
        }
    }

    /// Runs one statement and gives its rows away. They need no connection any more.
    public func rows(_ sql: SQL, doing: String? = nil) throws(DatabaseError) -> Rows {
        let doing = doing ?? Self.summary(of: sql.text)
        defer { pulse.feel(session) }
        return try live(doing).run(sql, doing: doing)
    }

    /// Runs one statement.
    ///
    /// - Returns: the rows it inserted, updated, deleted or selected.
    @discardableResult
    public func execute(_ sql: SQL, doing: String? = nil) throws(DatabaseError) -> Int {
        try rows(sql, doing: doing).affected
    }

    /// Runs many statements in one text, in the simple protocol: all of them in one transaction, unless the text has
    /// transactions of its own. The first error ends it.
    public func script(_ text: String, doing: String? = nil) throws(DatabaseError) {
        let doing = doing ?? Self.summary(of: text)
        defer { pulse.feel(session) }
        try live(doing).script(text, doing: doing)
    }

    /// - Throws: `DatabaseError` also when the server rolled back instead, because a statement had failed before.
    func commit() throws(DatabaseError) {
        let rows = try rows("COMMIT", doing: "commit")
        guard rows.command == "COMMIT" else {
            throw DatabaseError(
                doing: "commit", sqlState: "25P02", message: "a statement of the transaction had failed: rolled back")
        }
    }

    /// Whether the session still stands after reading what arrived unasked.
    func settle() -> Bool {
        session?.settle()
        pulse.feel(session)
        return pulse.isReusable
    }

    /// Says goodbye to the server. Afterwards every call throws.
    func close() {
        session = nil
        pulse.feel(nil)
    }

    /// The process number the server gave when we connected; a pooler makes one up. nil: the connection is closed.
    public var announcedProcess: Int32? { session?.announcedProcess }

    private func live(_ doing: String) throws(DatabaseError) -> Session {
        guard let session else {
            throw DatabaseError(doing: doing, message: "the connection is closed", isTransient: true)
        }
        return session
    }

    /// The beginning of a statement, on one line. A statement holds no value, so nothing secret is in it.
    private static func summary(of text: String) -> String {
        let line = ErrorFields.line(String(text.prefix(120)))
        return "run \"" + line.prefix(60) + (line.count > 60 ? "…\"" : "\"")
    }
}
