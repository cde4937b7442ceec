/// Where the database is and how it is used.
public struct DatabaseSettings: Sendable, CustomStringConvertible, CustomReflectable {
    public enum Prepare: String, Sendable {
        /// Statements are prepared once per connection and text. The first sign of a pooler that gives each transaction
        /// another server session (26000, 42P05) ends that for the life of the `Database`.
        case auto
        /// Statements are sent whole each time: for a known transaction pooler.
        case never
    }

    /// What libpq understands: a `postgresql://` URI or `keyword=value` pairs. Empty (default): libpq takes everything
    /// from the environment: `PGHOST`, `PGSERVICE`, `PGPASSFILE` and so on. May hold a password and is never printed.
    public var url: String
    /// Shown in `pg_stat_activity` unless the user gave an `application_name`. Default `fanfare`.
    public var applicationName: String
    /// Default `auto`.
    public var prepare: Prepare
    /// Connections open at once, at least 1, opened when needed. Default 4.
    public var maximumConnections: Int
    /// Set for each session when it starts, rounded down to milliseconds. Default nil: better set for the role with
    /// `ALTER ROLE … SET statement_timeout`. Behind a transaction pooler a session's setting passes to the next client
    /// of that server session, so with `prepare` at `never` it is not set at all.
    public var statementTimeout: Duration?
    /// What each session needs of the server's settings, and sets where it is otherwise, unless a pooler is in between.
    /// Default: `readCommitted` and `standardStrings`.
    public var session: [SessionSetting] = [.readCommitted, .standardStrings]
    /// Gets the server's notices, on the connection's thread. By default they are dropped; libpq never prints them.
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

    /// The same connection string with another database.
    public static func url(_ url: String, naming database: String) -> String {
        // Of several, libpq takes the last. A name in a URI is percent-encoded, one in quotes has its own escapes.
        if url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") {
            let name = database.utf8.map { byte in
                let isPlain = (48...57).contains(byte) || (65...90).contains(byte & 0xDF) || byte == UInt8(ascii: "_")
                let hex = String(byte, radix: 16)
                return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
            }
            return url + (url.contains("?") ? "&" : "?") + "dbname=" + name.joined()
        }
        return url + " dbname=" + quoted(database)
    }

    /// A value of `keyword=value` pairs, in single quotes. Scalars: a quotation mark after U+0600 or before U+0301 is not a
    /// `Character` of its own.
    package static func quoted(_ value: String) -> String {
        "'" + value.unicodeScalars.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
    }

    public var description: String { "DatabaseSettings(url: •••, applicationName: \(applicationName))" }
    public var customMirror: Mirror { Mirror(self, children: ["applicationName": applicationName]) }
}
