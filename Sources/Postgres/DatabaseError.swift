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

    /// Whether a code says that the same may work later.
    static func isTransient(_ sqlState: String) -> Bool {
        switch sqlState {
        case "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "53300": true
        default: sqlState.hasPrefix("08")
        }
    }
}
