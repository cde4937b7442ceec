/// Where the database is and how it is used.
public struct DatabaseSettings: Sendable, CustomStringConvertible, CustomReflectable {
    public enum Prepare: String, Sendable {
        /// Statements are prepared once per connection and text. The first sign of a pooler that hands every transaction
        /// another server session (26000, 42P05) ends that for the life of the `Database`.
        case auto
        /// Statements are sent whole each time. For a transaction pooler that is known.
        case never
    }

    /// What libpq understands: a `postgresql://` URI or `keyword=value` pairs. Empty (default) leaves everything to libpq's
    /// environment: `PGHOST`, `PGSERVICE`, `PGPASSFILE` and the rest. May hold a password and is never printed.
    public var url: String
    /// Shown in `pg_stat_activity` unless the user gave an `application_name`. Default `fanfare`.
    public var applicationName: String
    /// Default `auto`.
    public var prepare: Prepare
    /// Connections open at once, at least 1. They are opened when needed. Default 4.
    public var maximumConnections: Int
    /// Set for each session when it starts, rounded down to milliseconds. Default nil: better given to the role with
    /// `ALTER ROLE … SET statement_timeout`, because behind a transaction pooler a session's setting goes to whoever
    /// gets that server session next; with `prepare` at `never` it is therefore not set at all.
    public var statementTimeout: Duration?
    /// Gets what the server notices, on the connection's thread. By default notices are dropped; libpq never prints them.
    public var onNotice: @Sendable (Notice) -> Void

    public init(
        url: String = "", applicationName: String = "fanfare", prepare: Prepare = .auto, maximumConnections: Int = 4,
        statementTimeout: Duration? = nil, onNotice: @escaping @Sendable (Notice) -> Void = { _ in }
    ) {
        self.url = url
        self.applicationName = applicationName
        self.prepare = prepare
        self.maximumConnections = maximumConnections
        self.statementTimeout = statementTimeout
        self.onNotice = onNotice
    }

    /// A connection string that names another database, and is otherwise the same.
    public static func url(_ url: String, naming database: String) -> String {
        // libpq takes the last of several. A name in a URI is percent-encoded, one in quotes has its own escapes.
        if url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") {
            let name = database.utf8.map { byte in
                let isPlain = (48...57).contains(byte) || (65...90).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
                let hex = String(byte, radix: 16)
                return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
            }
            return url + (url.contains("?") ? "&" : "?") + "dbname=" + name.joined()
        }
        let name = database.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return url + " dbname='" + name + "'"
    }

    public var description: String { "DatabaseSettings(url: •••, applicationName: \(applicationName))" }
    public var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}
