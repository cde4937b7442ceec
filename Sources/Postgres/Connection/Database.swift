/// A PostgreSQL database: lends connections, opened when they are needed, and runs statements on them.
///
/// A broken connection is dropped, and one that died while idle is noticed before it is lent; the next use opens
/// another. Only the statement under way gets the error. While the server is away, one attempt to connect at a time is
/// made for all callers (`Outage`): 0.1 s after the first failure, doubling to 0.8 s.
public final class Database: Sendable {
    private let settings: DatabaseSettings
    private let pool: ConnectionPool
    private let preparing: PreparePolicy
    private let outage: Outage
    private let counts: FaultCounts
    private let loans: Loans
    /// What each statement is wrapped in; nil: statements stand alone.
    private let frame: TransactionFrame?

    /// Opens nothing yet.
    public convenience init(_ settings: DatabaseSettings) {
        let preparing = PreparePolicy(settings.prepare)
        let counts = FaultCounts()
        let outage = Outage(counting: counts) { () async throws(DatabaseError) in
            let connection = try await Connection.open(settings, preparing, counts)
            let takesChanges = try await connection.takesChanges()
            await connection.close()
            return takesChanges
        }
        self.init(settings, preparing, outage, counts)
    }

    private init(
        _ settings: DatabaseSettings, _ preparing: PreparePolicy, _ outage: Outage, _ counts: FaultCounts
    ) {
        self.settings = settings
        self.pool = ConnectionPool(limit: settings.maximumConnections)
        self.preparing = preparing
        self.outage = outage
        self.counts = counts
        loans = Loans()
        frame = nil
    }

    private init(_ other: Database, frame: TransactionFrame) {
        settings = other.settings
        pool = other.pool
        preparing = other.preparing
        outage = other.outage
        counts = other.counts
        loans = other.loans
        self.frame = frame
    }

    /// The same connections for a caller whose statements run with other rights: each of them, and each loan of a connection, is one
    /// transaction that begins with what `frame` sets. Not for statements that end a transaction themselves.
    public func framed(by frame: TransactionFrame) -> Database { Database(self, frame: frame) }

    /// A second client of the same database, with connections of its own: for statements that must not wait behind
    /// others. What one of them learns about the server holds for both.
    public func another(maximumConnections: Int) -> Database {
        var settings = settings
        settings.maximumConnections = maximumConnections
        return Database(settings, preparing, outage, counts)
    }

    /// Begins to listen on `channel`, with a session beside the pool.
    ///
    /// - Throws: `DatabaseError` when the system has no thread left; later errors are in the listener's `state`.
    public func listener(on channel: String) throws(DatabaseError) -> ChannelListener {
        try ChannelListener(settings, channel: channel)
    }

    /// Runs one statement and lends its rows to `read`, which runs on the connection's thread.
    ///
    /// - Parameter doing: for error texts, to follow "cannot"; by default the beginning of the statement.
    /// - Throws: `DatabaseError`; another error that `read` throws comes as its `underlying`.
    public func query<T: Sendable>(
        _ sql: SQL, doing: String? = nil, _ read: @Sendable (borrowing Rows) throws -> T
    ) async throws(DatabaseError) -> T {
        try await lent { connection, frame throws(DatabaseError) in
            try await connection.query(sql, doing: doing, in: frame, read)
        }
    }

    /// Runs one statement and returns its rows; they hold no connection.
    public func rows(_ sql: SQL, doing: String? = nil) async throws(DatabaseError) -> Rows {
        try await lent { connection, frame throws(DatabaseError) in
            try await connection.rows(sql, doing: doing, in: frame)
        }
    }

    /// Runs one statement.
    ///
    /// - Returns: the number of rows it inserted, updated, deleted or selected.
    @discardableResult
    public func execute(_ sql: SQL, doing: String? = nil) async throws(DatabaseError) -> Int {
        try await lent { connection, frame throws(DatabaseError) in
            try await connection.rows(sql, doing: doing, in: frame).affected
        }
    }

    /// Runs many statements in one text, in the simple protocol: all in one transaction, unless the text has
    /// transactions of its own. The first error ends it.
    public func script(_ text: String, doing: String? = nil) async throws(DatabaseError) {
        let connection = try await lend()
        defer { takeBack(connection) }
        try await enclosed(connection) { () throws(DatabaseError) in
            try await connection.script(text, doing: doing)
        }
    }

    /// Lends one connection for several statements. If `body` leaves a transaction open, the connection is closed
    /// instead of lent again.
    ///
    /// - Throws: `DatabaseError` when no connection can be had, and what `body` throws.
    public nonisolated(nonsending) func withConnection<T>(
        _ body: nonisolated(nonsending) (Connection) async throws -> T
    ) async throws -> T {
        guard frame == nil else { return try await withTransaction(body) }
        let connection = try await lend()
        defer { takeBack(connection) }
        return try await body(connection)
    }

    /// Runs `body` in a transaction: committed when it returns, rolled back when it throws.
    ///
    /// - Throws: what `body` throws, and `DatabaseError`. If the connection is lost during the commit (`doing` is
    ///   `commit` and `isTransient`), only the tables know whether it happened.
    public nonisolated(nonsending) func withTransaction<T>(
        _ body: nonisolated(nonsending) (Connection) async throws -> T
    ) async throws -> T {
        let connection = try await lend()
        defer { takeBack(connection) }
        try await begin(on: connection)
        let value: T
        do {
            value = try await body(connection)
        } catch {
            await undo(connection)
            throw error
        }
        try await connection.commit()
        return value
    }

    private func begin(on connection: Connection) async throws(DatabaseError) {
        let beginning = frame?.beginning ?? "BEGIN"
        do throws(DatabaseError) {
            try await connection.execute(beginning, doing: "begin a transaction")
        } catch {
            throw error.is(.featureNotSupported) ? error.ofStandby : error
        }
        guard let preparation = frame?.preparation else { return }
        do throws(DatabaseError) {
            try await connection.execute(preparation, doing: "set the rights of a transaction")
        } catch {
            await undo(connection)
            throw error
        }
    }

    /// If it fails, the connection is not lent again; the error before is the one to report.
    private func undo(_ connection: Connection) async { _ = try? await connection.execute("ROLLBACK") }

    /// Lends a connection for one statement.
    ///
    /// - Parameter statement: gets the frame of a transaction that only reads, to send both at once.
    private nonisolated(nonsending) func lent<T: ~Copyable>(
        _ statement: nonisolated(nonsending) (Connection, TransactionFrame?) async throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        let connection = try await lend()
        defer { takeBack(connection) }
        if let frame, frame.isReadOnly { return try await statement(connection, frame) }
        return try await enclosed(connection) { () throws(DatabaseError) in try await statement(connection, nil) }
    }

    /// In a transaction that the frame begins; without one as it is.
    private nonisolated(nonsending) func enclosed<T: ~Copyable>(
        _ connection: Connection, _ statement: nonisolated(nonsending) () async throws(DatabaseError) -> T
    ) async throws(DatabaseError) -> T {
        guard frame != nil else { return try await statement() }
        try await begin(on: connection)
        let value: T
        do throws(DatabaseError) {
            value = try await statement()
        } catch {
            await undo(connection)
            throw error
        }
        try await connection.commit()
        return value
    }

    /// Ends all use: callers that wait get an error, statements under way run to their end, then every connection is
    /// closed.
    public func close() async {
        for connection in pool.close() { await connection.close() }
        await pool.allBack()
    }

    /// How the connections are used at one moment.
    public struct Use: Sendable, Equatable {
        /// Lent, or being opened.
        public var out: Int
        /// Open and idle.
        public var ready: Int
        /// Callers that wait for one.
        public var waiting: Int
        /// `DatabaseSettings.maximumConnections`.
        public var limit: Int
    }

    public var use: Use { pool.use }

    /// What went wrong until now, here and in all `another`. Listeners count for themselves.
    public var faults: DatabaseFaults { counts.reading }

    /// Callers that wait for a connection now.
    var waiting: Int { pool.waiting }

    /// Seconds since the oldest loan of a connection that is still out; nil: no connection is out. Those of `another`
    /// do not count.
    public var longestUse: Double? { loans.longest }

    private func lend() async throws(DatabaseError) -> Connection {
        let connection = try await take()
        loans.begin(connection)
        return connection
    }

    private func take() async throws(DatabaseError) -> Connection {
        if case .ready(let connection) = try await pool.take() {
            if connection.health.isQuiet { return connection }
            if await connection.drainInput() { return connection }
        }
        do throws(DatabaseError) {
            return try await open()
        } catch {
            pool.giveBack(nil)
            throw error
        }
    }

    private func open() async throws(DatabaseError) -> Connection {
        try await outage.waitForServer()
        do throws(DatabaseError) {
            let connection = try await Connection.open(settings, preparing, counts)
            outage.connected()
            return connection
        } catch {
            if error.isTransient { outage.couldNotConnect() }
            throw error
        }
    }

    private func takeBack(_ connection: Connection) {
        loans.end(connection)
        if connection.health.wasLost { outage.sessionWasLost() }
        if connection.health.isReadOnly { outage.changeWasRefused() }
        pool.giveBack(connection.health.isReusable ? connection : nil)
    }
}

extension Database {
    /// Waits before a statement that failed is repeated; less long when the server was away, or took no changes, and is
    /// back. Cancellation ends the wait.
    ///
    /// - Returns: whether the server is available again.
    @discardableResult
    public func waitUntilBack(atMost seconds: Double) async -> Bool {
        await outage.sleep(atMost: .seconds(seconds))
    }

    /// The settings of the server that break one of `DatabaseSettings.session` in a session of ours; empty: none.
    public func brokenSettings() async throws(DatabaseError) -> [BrokenSetting] {
        let connection = try await lend()
        defer { takeBack(connection) }
        return try await connection.brokenSettings(settings.session)
    }
}
