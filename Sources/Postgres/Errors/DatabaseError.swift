/// Why something with the database did not work, in the server's words and with its code.
///
/// `description` names what was tried, the code and the message. It leaves out `detail`, which often quotes a whole
/// row: printing that is the caller's decision. No part ever holds a password.
public struct DatabaseError: Error, CustomStringConvertible {
    /// What was tried, to follow "cannot": `claim messages`.
    public var doing: String
    /// The server's code (`SQLState` names those we act on); nil when the fault was noticed on this side.
    public var sqlState: String?
    public var message: String
    public var detail: String?
    public var hint: String?
    public var constraint: String?
    public var column: String?
    public var table: String?
    /// The line of a `script` in which the server found the fault, from 1.
    public var line: Int?
    /// Waiting and trying again may help: the connection was lost or could not be made, the server starts, stops or has
    /// no room left, or the transaction conflicted with another one. If the connection was lost on the way, the
    /// statement may have taken effect: repeat only what can be repeated.
    public var isTransient: Bool
    /// What a closure given to `query` threw, if that was another error.
    public var underlying: (any Error)?

    public init(
        doing: String, sqlState: String? = nil, message: String, isTransient: Bool? = nil,
        underlying: (any Error)? = nil
    ) {
        self.doing = doing
        self.sqlState = sqlState
        self.message = message
        self.isTransient = isTransient ?? sqlState.map(Self.isTransient) ?? false
        self.underlying = underlying
    }

    /// Why no connection could be made.
    ///
    /// pgbouncer has one code for most of its refusals, 08P01, which for servers is about the protocol. A wrong password
    /// and an unknown database get the codes that a server has for them; the hint says who refused.
    init(connecting doing: String, sqlState: String?, message: String, needsPassword: Bool) {
        var state = sqlState
        var hint: String?
        if sqlState == SQLState.protocolViolation.rawValue, let meant = Self.meaning(ofPooler: message) {
            state = meant.rawValue
            hint = "a pooler refuses it, with its code 08P01: look at its settings and its log"
        }
        let isRefused = message.contains("unsupported startup parameter")
        self.init(
            doing: doing, sqlState: state, message: message,
            isTransient: state.map { !isRefused && ($0.hasPrefix("08") || Self.isTransient($0)) } ?? !needsPassword)
        self.hint = hint ?? state.flatMap(Self.advice)
    }

    /// What the words of pgbouncer mean, which are English; nil: waiting may help (no server, no place left).
    private static func meaning(ofPooler message: String) -> SQLState? {
        let words = message.lowercased()
        func says(_ phrases: String...) -> Bool { phrases.contains { words.contains($0) } }
        if says("authentication failed", "auth failed", "no such user", "login rejected", "not allowed") {
            return .invalidPassword
        }
        if says("no such database", "database does not exist") { return .invalidCatalogName }
        return nil
    }

    /// Whether the server refused with this code.
    public func `is`(_ state: SQLState) -> Bool { sqlState == state.rawValue }

    public var description: String { "cannot \(doing): \(why)" }

    /// The same without what was tried, for a line that already contains that.
    public var why: String {
        var text = sqlState.map { "\($0) " } ?? ""
        text += message
        if let line { text += " (line \(line))" }
        if let hint { text += " (\(hint))" }
        return text
    }

    /// Whether the same may work later. Class 08 is the connection, but for 08P01: a server says that about a message it
    /// could not read, and would say it again. Class 53 is disk, memory or connections used up; a read-only server is a
    /// standby before its promotion, or frozen for a while by its operator.
    static func isTransient(_ sqlState: String) -> Bool {
        switch SQLState(rawValue: sqlState) {
        case .readOnlyTransaction, .serializationFailure, .deadlockDetected, .lockNotAvailable, .adminShutdown,
            .crashShutdown, .cannotConnectNow, .idleSessionTimeout:
            true
        case .protocolViolation: false
        default: sqlState.hasPrefix("08") || sqlState.hasPrefix("53")
        }
    }

    /// The same with the code and the hint of a server that takes no changes: a standby refuses `BEGIN READ WRITE` as not
    /// supported.
    var ofStandby: DatabaseError {
        var error = self
        let state = SQLState.readOnlyTransaction.rawValue
        (error.sqlState, error.isTransient) = (state, Self.isTransient(state))
        error.hint = hint ?? Self.advice(state)
        return error
    }

    /// What to do about codes for which the server has no hint of its own; nil: its message is enough.
    static func advice(_ sqlState: String) -> String? {
        switch SQLState(rawValue: sqlState) {
        case .readOnlyTransaction:
            "this server takes no changes: it is a standby, or default_transaction_read_only is on; name all servers "
                + "and let libpq find the one that does: host=a,b target_session_attrs=read-write"
        case .diskFull: "make room on the server's disk; nothing is lost meanwhile"
        case .tooManyConnections: "raise max_connections, or lower database.maximumConnections of the workers"
        case .queryCancelled:
            "if nobody cancelled it, statement_timeout of this role or database is too short: ALTER ROLE … SET"
        default: nil
        }
    }
}
