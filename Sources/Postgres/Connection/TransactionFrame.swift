/// What each statement of a client is wrapped in (`Database.framed`): a transaction with a role and settings of its own, which end with
/// it. So they hold behind a pooler that gives each transaction another server session, too.
public struct TransactionFrame: Sendable, Equatable {
    /// The role whose rights count; the login has to be a member. Nil (default): the login's own.
    public var role: String?
    /// Whether the server refuses every change. Default true.
    public var isReadOnly = true
    /// After which a statement is cancelled (57014). Nil (default): as the session has it.
    public var statementTimeout: Duration?
    /// Other settings of the transaction, by their names: `push.person`. Default: none.
    public var settings: [String: String] = [:]

    public init(
        role: String? = nil, isReadOnly: Bool = true, statementTimeout: Duration? = nil,
        settings: [String: String] = [:]
    ) {
        self.role = role
        self.isReadOnly = isReadOnly
        self.statementTimeout = statementTimeout
        self.settings = settings
    }

    var beginning: SQL { isReadOnly ? "BEGIN READ ONLY" : "BEGIN READ WRITE" }

    /// Sets what ends with the transaction; nil: there is nothing to set.
    var preparation: SQL? { values.isEmpty ? nil : setting() }

    /// The same for a transaction that begins without BEGIN, and only reads.
    var reading: SQL {
        setting(between: "SELECT pg_catalog.set_config('transaction_read_only', 'on', true) UNION ALL (", and: ")")
    }

    /// The role is the last one: it may be one that may not make the other settings.
    private var values: [(name: String, value: String)] {
        var values = settings.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if let statementTimeout {
            values.append(("statement_timeout", "\(Int(statementTimeout / .milliseconds(1)))"))
        }
        if let role { values.append(("role", role)) }
        return values
    }

    private func setting(between beginning: String = "", and end: String = "") -> SQL {
        """
        \(raw: beginning)SELECT pg_catalog.set_config(s.name, s.value, true)
          FROM ROWS FROM (pg_catalog.unnest(\(values.map(\.name))::text[]), pg_catalog.unnest(\(values.map(\.value))::text[]))
               WITH ORDINALITY s(name, value, place)
         ORDER BY s.place\(raw: end)
        """
    }
}
