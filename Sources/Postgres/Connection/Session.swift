import CLibpq
import Glibc

/// One libpq connection. Its calls block, so it lives on a `ConnectionThread`; confined to the `Connection` actor, or
/// to the thread of a `ChannelListener`.
final class Session {
    let raw: OpaquePointer
    private let sink: NoticeSink
    private let preparing: PreparePolicy
    var prepared = PreparedStatements()
    /// The server refused a change because it takes none. A new session may reach another server, or the same one after
    /// a freeze; this session keeps the setting it began with.
    private(set) var isReadOnly = false
    /// libpq could not write, and may still report the connection as good: a server that stops at once sends a
    /// notice first; libpq reads that before it sees the end of the connection, and then reports only the failed write.
    var isCut = false

    /// Connects, with libpq's own time limits, host lists and TLS.
    ///
    /// - Throws: `DatabaseError`; nothing is left open then.
    init(_ settings: DatabaseSettings, _ preparing: PreparePolicy) throws(DatabaseError) {
        let conninfo = try Conninfo(settings.url, applicationName: settings.applicationName)
        let doing = "connect to the database"
        guard let raw = conninfo.start() else {
            throw DatabaseError(doing: doing, message: "libpq has no memory left", isTransient: true)
        }
        self.raw = raw
        self.sink = NoticeSink(settings.onNotice)
        self.preparing = preparing
        // Notice receiver and verbosity can be set only on a started connection, and only PQreset then connects with
        // libpq's own timeouts and host by host. What was started is closed before it sent a byte.
        if PQstatus(raw) != CONNECTION_BAD {
            sink.attach(to: raw)
            _ = PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
            PQreset(raw)
            _ = PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
        }
        guard PQstatus(raw) == CONNECTION_OK else {
            let (sqlState, message) = ErrorFields.ofConnecting(PQerrorMessage(raw).map { String(cString: $0) } ?? "")
            if sqlState == nil, let option = ConninfoOption.refused(by: message) {
                var error = DatabaseError(doing: Conninfo.doing, message: message, isTransient: false)
                error.hint = ConninfoOption.places(of: option)
                throw error
            }
            throw DatabaseError(
                connecting: doing, sqlState: sqlState, message: message,
                needsPassword: PQconnectionNeedsPassword(raw) != 0)
        }
        let setting = settings.session.statement(announced: announcedProcess)
        if !setting.isEmpty { try script(setting, doing: doing) }
        if let timeout = settings.statementTimeout, settings.prepare == .auto {
            try script("SET statement_timeout = \(max(0, timeout / .milliseconds(1)).rounded(.down))", doing: doing)
        }
    }

    deinit { PQfinish(raw) }

    var socket: Int32 { PQsocket(raw) }

    var announcedProcess: Int32 { PQbackendPID(raw) }

    var isBroken: Bool { isCut || PQstatus(raw) != CONNECTION_OK }

    /// Whether it may be lent again.
    var isWorthKeeping: Bool { !isBroken && isIdle && !isReadOnly }

    /// In no transaction, and with nothing left to receive.
    var isIdle: Bool { PQtransactionStatus(raw) == PQTRANS_IDLE }

    /// Reads input that no statement asked for (a changed setting, the server's farewell).
    // When the server has closed the connection, the first call still succeeds: it reads the farewell. The second one
    // fails.
    func drainInput() {
        _ = PQconsumeInput(raw)
        _ = PQconsumeInput(raw)
    }

    /// Begins to listen: notifications committed from now on arrive.
    ///
    /// - Throws: `DatabaseError`; also behind a pooler, which accepts a LISTEN and never passes a notification on.
    func listen(on channel: String) throws(DatabaseError) {
        let doing = "listen on \(channel)"
        let process = try run("SELECT pg_backend_pid()", doing: doing)
            .lend(doing: doing) { rows in try rows.single { row in try row.int32() } }
        guard process == announcedProcess else {
            var error = DatabaseError(
                doing: doing, message: "a pooler is in between, and does not pass notifications on",
                isTransient: false)
            error.hint = "connect to the server itself"
            throw error
        }
        // Scalars, as PostgreSQL reads them.
        let name = channel.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
        // A session that listens is idle, and servers may end idle sessions.
        try script(
            """
            SELECT set_config('idle_session_timeout', '0', false) WHERE current_setting('idle_session_timeout', true) <> '0';
            LISTEN "\(name)"
            """, doing: doing)
    }

    /// Reads what has arrived, without waiting.
    ///
    /// - Returns: whether a notification arrived.
    /// - Throws: `DatabaseError` when the session is lost. As with `drainInput` that takes two calls: the socket stays
    ///   readable.
    func pollNotifications() throws(DatabaseError) -> Bool {
        let isRead = PQconsumeInput(raw) != 0
        var hasArrived = false
        while let notification = PQnotifies(raw) {
            PQfreemem(notification)
            hasArrived = true
        }
        guard isRead, !isBroken else {
            let message = PQerrorMessage(raw).map { ErrorFields.line(String(cString: $0)) } ?? ""
            throw DatabaseError(doing: "listen any more", message: message, isTransient: true)
        }
        return hasArrived
    }

    /// - Parameter frame: of a transaction that only reads, which the statement has for itself. The session is idle then.
    func run(_ sql: SQL, doing: String, in frame: TransactionFrame? = nil) throws(DatabaseError) -> Rows {
        if let number = sql.parameters.tooLarge {
            throw DatabaseError(doing: doing, message: "parameter \(number) is larger than 1 GB")
        }
        let wasIdle = isIdle
        var statements = [Statement(sql, doing)]
        if let frame { statements.insert(Statement(frame.reading, "set the rights of a transaction"), at: 0) }
        guard preparing.isOn, statements.allSatisfy({ prepared[$0.key] != nil }) || !prepared.isFull else {
            return try reply(to: statements)
        }
        var staleness = Staleness.none
        do {
            return try reply(to: statements, preparing: true, &staleness)
        } catch {
            switch staleness {
            case .none: throw error
            case .pooler:
                preparing.turnOff()
                prepared.forgetAll()
            case .plan: for statement in statements { prepared.forget(statement.key) }
            }
            // Nothing was executed. But an open transaction is lost, and only its owner can repeat it.
            guard wasIdle else {
                var error = error
                error.isTransient = true
                throw error
            }
            return try reply(to: statements)
        }
    }

    /// Runs several statements in the simple protocol: one transaction, unless the text has its own.
    func script(_ text: String, doing: String) throws(DatabaseError) {
        guard PQsendQuery(raw, text) == 1 else { return _ = try checked(nil, doing, text) }
        var done = 0
        var failure: DatabaseError?
        while let result = PQgetResult(raw) {
            do throws(DatabaseError) {
                _ = try checked(result, doing, text)
                done += 1
            } catch {
                failure = failure ?? error
                // The connection is lost, or waits for data of a COPY.
                guard error.sqlState != nil, !isCut else { break }
                if failure?.line == nil { failure?.line = ScriptLines.line(ofStatement: done, in: text) }
            }
        }
        if let failure { throw failure }
    }

    /// Why a prepared statement could not be used although it is right.
    enum Staleness {
        case none
        /// The session it was prepared in is not the one that answered.
        case pooler
        /// The tables have changed: it would return other columns.
        case plan
    }

    struct Statement {
        let sql: SQL
        let doing: String
        let key: PreparedStatements.Key

        init(_ sql: SQL, _ doing: String) {
            self.sql = sql
            self.doing = doing
            key = PreparedStatements.Key(text: sql.text, types: sql.parameters.entries.map(\.oid))
        }
    }

    private func reply(to statements: [Statement]) throws(DatabaseError) -> Rows {
        var staleness = Staleness.none
        return try reply(to: statements, preparing: false, &staleness)
    }

    /// - Returns: the rows of the last one.
    private func reply(
        to statements: [Statement], preparing: Bool, _ staleness: inout Staleness
    ) throws(DatabaseError) -> Rows {
        if statements.count > 1 { return try pipelined(statements, preparing: preparing, &staleness) }
        let (sql, doing, key) = (statements[0].sql, statements[0].doing, statements[0].key)
        guard preparing else {
            let result = sql.parameters.withPointers { count, values, lengths, formats in
                PQexecParams(raw, sql.text, count, key.types, values, lengths, formats, 1)
            }
            return try checked(result, doing, sql.text, &staleness)
        }
        let (name, isNew) = prepared.name(for: key)
        if isNew {
            let made = PQprepare(raw, name, key.text, Int32(key.types.count), key.types)
            _ = try checked(made, doing, key.text, &staleness)
            prepared.remember(name, for: key)
        }
        let result = sql.parameters.withPointers { count, values, lengths, formats in
            PQexecPrepared(raw, name, count, values, lengths, formats, 1)
        }
        return try checked(result, doing, sql.text, &staleness)
    }

    private func checked(_ result: OpaquePointer?, _ doing: String, _ text: String) throws(DatabaseError) -> Rows {
        var staleness = Staleness.none
        return try checked(result, doing, text, &staleness)
    }

    func checked(_ result: OpaquePointer?, _ doing: String, _ text: String, _ staleness: inout Staleness)
        throws(DatabaseError) -> Rows
    {
        guard let result else {
            let message = PQerrorMessage(raw).map { ErrorFields.line(String(cString: $0)) } ?? ""
            throw DatabaseError(doing: doing, message: message, isTransient: isBroken)
        }
        let rows = Rows(owning: result)
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return rows
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            // The session now waits for data, or has data that nobody takes.
            isCut = true
            throw DatabaseError(doing: doing, message: "COPY from or to the client is not supported")
        default:
            let fields = ErrorFields(result)
            let sqlState = fields[pgDiagSqlState]
            staleness = Self.staleness(sqlState, fields)
            // Every refusal of a server has a code. An error without one is libpq's, about the connection. After FATAL the
            // server closes it.
            if sqlState == nil || ["FATAL", "PANIC"].contains(fields[pgDiagSeverity]) { isCut = true }
            var error = DatabaseError(
                doing: doing, sqlState: sqlState, message: fields.message, isTransient: isBroken ? true : nil)
            error.detail = fields[pgDiagDetail]
            error.hint = fields[pgDiagHint] ?? sqlState.flatMap(DatabaseError.advice)
            if error.is(.readOnlyTransaction) { isReadOnly = true }
            error.constraint = fields[pgDiagConstraint]
            error.column = fields[pgDiagColumn]
            error.table = fields[pgDiagTable]
            error.line = fields[pgDiagPosition].flatMap(Int.init).map { Self.line(at: $0, in: text) }
            throw error
        }
    }

    private static func staleness(_ sqlState: String?, _ fields: ErrorFields) -> Staleness {
        switch sqlState.map(SQLState.init(rawValue:)) {
        case .invalidStatementName, .duplicatePreparedStatement: .pooler
        case .featureNotSupported where fields[pgDiagSourceFunction] == "RevalidateCachedQuery": .plan
        default: .none
        }
    }

    /// - Parameter position: in characters, from 1, as the server counts.
    private static func line(at position: Int, in text: String) -> Int {
        text.unicodeScalars.prefix(position - 1).count { $0 == "\n" } + 1
    }
}
