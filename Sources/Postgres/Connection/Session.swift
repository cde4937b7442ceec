import CLibpq
import Glibc

/// One libpq connection. Blocks its caller, so it lives on a `ConnectionThread`; confined to the `Connection` actor.
final class Session {
    private let raw: OpaquePointer
    private let sink: NoticeSink
    private let preparing: PreparePolicy
    private var prepared = PreparedStatements()
    /// The server refused a change because it takes none. Its next session may be on another server, or after the freeze:
    /// this one keeps the setting it began with.
    private var isReadOnly = false
    /// libpq could not write. It may still call the connection well: a server that stops at once says so in a notice, and
    /// libpq, which reads that before it learns of the end, then reports the write and nothing else.
    private var isCut = false

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
        // Only a started connection can be told where notices go and how to word its errors, and only PQreset then
        // connects with libpq's own timeouts and host by host. What was started is closed before it said a word.
        if PQstatus(raw) != CONNECTION_BAD {
            sink.attach(to: raw)
            _ = PQsetErrorVerbosity(raw, PQERRORS_VERBOSE)
            PQreset(raw)
            _ = PQsetErrorVerbosity(raw, PQERRORS_DEFAULT)
        }
        guard PQstatus(raw) == CONNECTION_OK else {
            let (sqlState, message) = ErrorFields.ofConnecting(PQerrorMessage(raw).map { String(cString: $0) } ?? "")
            let needsPassword = PQconnectionNeedsPassword(raw) != 0
            var error = DatabaseError(
                doing: doing, sqlState: sqlState, message: message,
                isTransient: sqlState.map(DatabaseError.isTransient) ?? !needsPassword)
            error.hint = sqlState.flatMap(DatabaseError.advice)
            throw error
        }
        // Steps of the protocol are two statements, the second of which must see what was committed before it. Where the
        // default is that, nothing is set, and so a pooler has nothing to hand on.
        if settings.prepare == .auto {
            try script(
                """
                SELECT set_config('default_transaction_isolation', 'read committed', false)
                 WHERE current_setting('default_transaction_isolation') NOT IN ('read committed', 'read uncommitted')
                """, doing: doing)
        }
        if let timeout = settings.statementTimeout, settings.prepare == .auto {
            try script("SET statement_timeout = \(max(0, timeout / .milliseconds(1)).rounded(.down))", doing: doing)
        }
    }

    deinit { PQfinish(raw) }

    var socket: Int32 { PQsocket(raw) }

    var announcedProcess: Int32 { PQbackendPID(raw) }

    var isBroken: Bool { isCut || PQstatus(raw) != CONNECTION_OK }

    /// Whether somebody else may use it after this.
    var isWorthKeeping: Bool { !isBroken && isIdle && !isReadOnly }

    /// In no transaction and with nothing left to receive.
    var isIdle: Bool { PQtransactionStatus(raw) == PQTRANS_IDLE }

    /// Reads what arrived unasked (a setting that changed, the server's farewell).
    // The first call still succeeds when the server has gone, because it reads the farewell; the second one notices.
    func settle() {
        _ = PQconsumeInput(raw)
        _ = PQconsumeInput(raw)
    }

    /// Whatever is notified on `channel` from now on will be heard.
    ///
    /// - Throws: `DatabaseError`; also behind a pooler, where the server takes a LISTEN and nobody is ever told anything.
    func listen(on channel: String) throws(DatabaseError) {
        let doing = "listen on \(channel)"
        guard try run("SELECT pg_backend_pid()", doing: doing)[0].int32(0) == announcedProcess else {
            var error = DatabaseError(
                doing: doing, message: "a pooler stands before the server, and does not pass on what is notified",
                isTransient: false)
            error.hint = "connect to the server itself"
            throw error
        }
        // Whoever listens is idle, and servers may end sessions for that.
        try script(
            """
            SELECT set_config('idle_session_timeout', '0', false) WHERE current_setting('idle_session_timeout', true) <> '0';
            LISTEN "\(channel.replacing("\"", with: "\"\""))"
            """, doing: doing)
    }

    /// Reads what has arrived, without waiting.
    ///
    /// - Returns: whether something was notified.
    /// - Throws: `DatabaseError` when the session is lost. That takes two calls, as with `settle`: its socket stays readable.
    func pollNotifications() throws(DatabaseError) -> Bool {
        let isRead = PQconsumeInput(raw) != 0
        var hasHeard = false
        while let notification = PQnotifies(raw) {
            PQfreemem(notification)
            hasHeard = true
        }
        guard isRead, !isBroken else {
            let message = PQerrorMessage(raw).map { ErrorFields.line(String(cString: $0)) } ?? ""
            throw DatabaseError(doing: "listen any more", message: message, isTransient: true)
        }
        return hasHeard
    }

    func run(_ sql: SQL, doing: String) throws(DatabaseError) -> Rows {
        if let number = sql.parameters.tooLarge {
            throw DatabaseError(doing: doing, message: "parameter \(number) is larger than 1 GB")
        }
        let wasIdle = isIdle
        let key = PreparedStatements.Key(text: sql.text, types: sql.parameters.entries.map(\.oid))
        guard preparing.isOn, prepared[key] != nil || !prepared.isFull else {
            return try checked(send(sql, key.types), doing, sql.text)
        }
        var staleness = Staleness.none
        do {
            let name = try prepare(key, doing, &staleness)
            return try checked(send(sql, to: name), doing, sql.text, &staleness)
        } catch {
            switch staleness {
            case .none: throw error
            case .pooler:
                preparing.turnOff()
                prepared.forgetAll()
            case .plan: prepared.forget(key)
            }
            // Nothing was executed. A transaction is lost, though, and only its owner can repeat it.
            guard wasIdle else {
                var error = error
                error.isTransient = true
                throw error
            }
            return try checked(send(sql, key.types), doing, sql.text)
        }
    }

    /// Runs several statements in the simple protocol: one transaction, unless the text has its own.
    func script(_ text: String, doing: String) throws(DatabaseError) {
        _ = try checked(PQexec(raw, text), doing, text)
    }

    /// Why a prepared statement could not be used although it is right.
    private enum Staleness {
        case none
        /// The session it was prepared in is not the one that answered.
        case pooler
        /// Tables have changed so that it returns other columns than it did.
        case plan
    }

    private func prepare(_ key: PreparedStatements.Key, _ doing: String, _ staleness: inout Staleness)
        throws(DatabaseError) -> String
    {
        if let name = prepared[key] { return name }
        let name = prepared.freshName()
        let reply = PQprepare(raw, name, key.text, Int32(key.types.count), key.types)
        _ = try checked(reply, doing, key.text, &staleness)
        prepared.remember(name, for: key)
        return name
    }

    private func send(_ sql: SQL, _ types: [UInt32]) -> OpaquePointer? {
        sql.parameters.withPointers { count, values, lengths, formats in
            PQexecParams(raw, sql.text, count, types, values, lengths, formats, 1)
        }
    }

    private func send(_ sql: SQL, to name: String) -> OpaquePointer? {
        sql.parameters.withPointers { count, values, lengths, formats in
            PQexecPrepared(raw, name, count, values, lengths, formats, 1)
        }
    }

    private func checked(_ result: OpaquePointer?, _ doing: String, _ text: String) throws(DatabaseError) -> Rows {
        var staleness = Staleness.none
        return try checked(result, doing, text, &staleness)
    }

    private func checked(_ result: OpaquePointer?, _ doing: String, _ text: String, _ staleness: inout Staleness)
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
            // The session now waits for data; `isIdle` is false, so it is closed when it is given back.
            throw DatabaseError(doing: doing, message: "COPY from or to the client is not supported")
        default:
            let diagnosis = ErrorFields(result)
            let sqlState = diagnosis[pgDiagSqlState]
            staleness = Self.staleness(sqlState, diagnosis)
            // Every refusal of a server has a code; without one it is libpq that speaks, of the connection.
            if sqlState == nil { isCut = true }
            var error = DatabaseError(
                doing: doing, sqlState: sqlState, message: diagnosis.message, isTransient: isBroken ? true : nil)
            error.detail = diagnosis[pgDiagDetail]
            error.hint = diagnosis[pgDiagHint] ?? sqlState.flatMap(DatabaseError.advice)
            if sqlState == "25006" { isReadOnly = true }
            error.constraint = diagnosis[pgDiagConstraint]
            error.column = diagnosis[pgDiagColumn]
            error.table = diagnosis[pgDiagTable]
            error.line = diagnosis[pgDiagPosition].flatMap(Int.init).map { Self.line(at: $0, in: text) }
            throw error
        }
    }

    private static func staleness(_ sqlState: String?, _ diagnosis: ErrorFields) -> Staleness {
        switch sqlState {
        case "26000", "42P05": .pooler
        case "0A000" where diagnosis[pgDiagSourceFunction] == "RevalidateCachedQuery": .plan
        default: .none
        }
    }

    /// The server counts characters from 1.
    private static func line(at position: Int, in text: String) -> Int {
        text.unicodeScalars.prefix(position - 1).count { $0 == "\n" } + 1
    }
}
