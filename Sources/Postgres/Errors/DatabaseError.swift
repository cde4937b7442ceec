/// Why something with the database did not work, in the server's words and with its code.
///
/// `description` names what we were doing, the code and the message. It leaves out `detail`, which often quotes a whole
/// row: whoever prints that decides so. No part ever holds a password.
public struct DatabaseError: Error, CustomStringConvertible {
    /// What was tried, to follow "cannot": `claim messages`.
    public var doing: String
    /// Five characters, [PostgreSQL's table](https://www.postgresql.org/docs/current/errcodes-appendix.html); nil when
    /// the fault was noticed on this side.
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
    /// no place left, or the transaction met another one. What was tried may still have happened if the connection was
    /// lost on the way; so a statement that is repeated has to bear it.
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

    public var description: String {
        var text = "cannot \(doing): "
        if let sqlState { text += "\(sqlState) " }
        text += message
        if let line { text += " (line \(line))" }
        if let hint { text += " (\(hint))" }
        return text
    }

    /// Whether a code says that the same may work later. 25006: a server that takes no changes is a standby before its
    /// promotion, or frozen for a while by its keeper; 53…: no room on the disk, no memory, no connection left.
    static func isTransient(_ sqlState: String) -> Bool {
        switch sqlState {
        case "25006", "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "57P05": true
        default: sqlState.hasPrefix("08") || sqlState.hasPrefix("53")
        }
    }

    /// What to do about codes for which the server has no hint of its own; nil: its message says enough.
    static func advice(_ sqlState: String) -> String? {
        switch sqlState {
        case "25006":
            "this server takes no changes: it is a standby, or default_transaction_read_only is on; name all servers "
                + "and let libpq find the one that does: host=a,b target_session_attrs=read-write"
        case "53100": "make room on the server's disk; nothing is lost meanwhile"
        case "53300": "raise max_connections, or lower database.maximumConnections of the workers"
        case "57014":
            "if nobody cancelled it, statement_timeout of this role or database is too short: ALTER ROLE … SET"
        default: nil
        }
    }
}
