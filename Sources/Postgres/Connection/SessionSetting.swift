/// A setting of the server on which what we do depends, whatever a role, a database or a server has as its default.
///
/// A session that reaches the server directly sets it when it starts. Through a pooler nothing is set, because it would
/// pass to the next client of that server session: `Database.brokenSettings` says what is wrong there.
public struct SessionSetting: Sendable, Equatable {
    /// As in `pg_settings`.
    public let name: String
    /// A good value.
    let value: String
    /// What `pg_settings.setting` has to be, as SQL that follows it.
    let rule: String
    var handling = Handling.setOrRefuse

    enum Handling: Sendable {
        /// Set where a session can; without that it does less good and no harm.
        case set
        /// Set where a session can; elsewhere the default has to be right.
        case setOrRefuse
        /// No session of ours sets it, so the default has to be right.
        case refuse
    }

    /// Steps of the protocol are two statements, and the second must see what was committed before it.
    public static let readCommitted = SessionSetting(
        name: "default_transaction_isolation", value: "read committed",
        rule: "IN ('read committed', 'read uncommitted')")

    /// Backslashes in literals are plain.
    public static let standardStrings = SessionSetting(
        name: "standard_conforming_strings", value: "on", rule: "= 'on'", handling: .set)

    /// No object of a schema that others may write into takes the place of the server's own functions and operators.
    public static let ownSearchPath = SessionSetting(
        name: "search_path", value: "pg_catalog", rule: "= 'pg_catalog'", handling: .set)

    /// No time limit, or one that leaves statements the time they need.
    public static func statementTimeout(atLeast seconds: Int) -> SessionSetting {
        SessionSetting(
            name: "statement_timeout", value: "\(seconds)s", rule: "::bigint NOT BETWEEN 1 AND \(seconds * 1000 - 1)")
    }

    /// As `statementTimeout`, for PostgreSQL 17 and newer; older servers do not have it.
    public static func transactionTimeout(atLeast seconds: Int) -> SessionSetting {
        SessionSetting(
            name: "transaction_timeout", value: "\(seconds)s",
            rule: "::bigint NOT BETWEEN 1 AND \(seconds * 1000 - 1)")
    }

    /// A statement ends when its client goes: nobody reads what it finds, and it may hold what others wait for. A server on
    /// Windows cannot.
    public static let endsWithClient = SessionSetting(
        name: "client_connection_check_interval", value: "1s",
        rule: "<> '0' OR pg_catalog.version() ~* 'windows|mingw|visual c'", handling: .set)

    /// Triggers fire: without them an INSERT into `push.message` is a row that nobody sends. Only a superuser sets it.
    public static let triggersFire = SessionSetting(
        name: "session_replication_role", value: "origin", rule: "<> 'replica'", handling: .refuse)

    /// Transactions may write. If they may not, somebody set that on purpose, mostly for a while.
    public static let writable = SessionSetting(
        name: "default_transaction_read_only", value: "off", rule: "= 'off'", handling: .refuse)

    /// Texts are Unicode. `SQL_ASCII` checks nothing, so that one row which is not UTF-8 would stop every claim that meets it;
    /// other encodings lack characters. The database has it for good.
    public static let unicode = SessionSetting(
        name: "server_encoding", value: "UTF8", rule: "= 'UTF8'", handling: .refuse)
}

/// A `SessionSetting` that does not hold in our sessions.
public struct BrokenSetting: Sendable, Equatable, CustomStringConvertible {
    public var name: String
    /// With its unit: `1500 ms`.
    public var value: String
    /// `pg_settings.source`: `user`, `database`, `configuration file`, …
    public var source: String
    /// A good value.
    public var needed: String
    /// Whether a pooler stands between us and the server, so that a session of ours cannot set it.
    public var isPooled: Bool
    /// The role that logged in, and its database.
    public var login: String
    public var database: String

    public init(
        name: String, value: String, source: String, needed: String, isPooled: Bool, login: String, database: String
    ) {
        self.name = name
        self.value = value
        self.source = source
        self.needed = needed
        self.isPooled = isPooled
        self.login = login
        self.database = database
    }

    /// `default_transaction_isolation is "serializable" (set for: user)`
    public var description: String { "\(name) is \"\(value)\" (set for: \(source))" }

    /// What a person runs, to follow nothing.
    public var remedy: String {
        guard name != SessionSetting.unicode.name else {
            return "make another database and move what is in this one: CREATE DATABASE fanfare TEMPLATE template0 "
                + "ENCODING '\(needed)' LOCALE 'C.UTF-8'"
        }
        let role = SQL.quoted(login)
        let statement =
            switch source {
            case "client", "session", "environment variable": "take it out of database.url and PGOPTIONS"
            case "database user": "ALTER ROLE \(role) IN DATABASE \(SQL.quoted(database)) RESET \(name)"
            default: "ALTER ROLE \(role) SET \(name) = '\(needed)'"
            }
        return statement + (isPooled ? ", then have the pooler reconnect (pgbouncer: RECONNECT)" : "")
    }
}

extension [SessionSetting] {
    /// True for a row of `pg_settings` that breaks one of the rules.
    // CASE, because each rule may be applied to its own setting only: `::bigint` fails for a text.
    private var isBroken: String {
        let cases = map { "WHEN '\($0.name)' THEN NOT (setting \($0.rule))" }
        return isEmpty ? "false" : "CASE name \(cases.joined(separator: " ")) ELSE false END"
    }

    /// Sets what is broken, unless the session belongs to a pooler: then the server's process is not the announced one.
    func statement(announced: Int32) -> String {
        let settable = filter { $0.handling != .refuse }
        let values = settable.map { "WHEN '\($0.name)' THEN '\($0.value)'" }
        guard !values.isEmpty else { return "" }
        // The time limit first, and by a statement that takes next to no time: the view `pg_settings` takes milliseconds.
        let timeout = settable.first { $0.name == "statement_timeout" }.map { setting in
            """
            SELECT pg_catalog.set_config('statement_timeout', '\(setting.value)', false)
             WHERE pg_catalog.pg_backend_pid() = \(announced)
               AND pg_catalog.current_setting('statement_timeout')::interval > '0'
               AND pg_catalog.current_setting('statement_timeout')::interval < '\(setting.value)';

            """
        }
        return (timeout ?? "") + """
            SELECT pg_catalog.set_config(name, CASE name \(values.joined(separator: " ")) END, false)
              FROM pg_catalog.pg_settings
             WHERE pg_catalog.pg_backend_pid() = \(announced) AND \(settable.isBroken)
            """
    }

    /// The settings that are broken.
    var query: SQL {
        """
        SELECT name, setting, unit, source, pg_catalog.pg_backend_pid(), session_user::text,
               pg_catalog.current_database()::text
          FROM pg_catalog.pg_settings WHERE \(raw: filter { $0.handling != .set }.isBroken) ORDER BY name
        """
    }
}
