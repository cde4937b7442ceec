import PushModel
import Signing

// The key table of the console's pages. What says who may do what takes effect without a new worker.

extension Settings {
    static let consoleKeys: [SettingKey<Settings>] = [
        SettingKey(
            name: "console.pages",
            rule: .text(rule: "host:port, [IPv6]:port, or \"off\"", pattern: "^(off|\(Settings.addressPattern))$") {
                $0 == "off" || ListenAddress($0) != nil
            },
            about: "where the pages of the console are served; off: nowhere", change: .restart
        ) {
            .text($0.console.pages?.description ?? "off")
        } set: {
            $0.console.pages = ListenAddress($1.description)
        },
        .text(
            "console.name", \.console.name,
            .text(
                rule: "at most 40 visible characters with single blanks between words",
                pattern: #"^(\S( ?\S){0,39})?$"#
            ) { $0.isEmpty || VisibleText.isOne($0, upTo: 40) },
            "what the pages call this installation, such as production", change: .live),
        .text(
            "console.basePath", \.console.basePath,
            .text(
                rule: "a path such as /pushes, of letters, digits and -._~, without a slash at its end",
                pattern: ConsoleRules.basePathPattern, holds: ConsoleRules.isBasePath),
            "what stands in front of every address of the pages", change: .restart),
        .list(
            "console.hosts", \.console.hosts, item: ConsoleRules.hostPattern,
            rule: "names such as push.example.com, with or without a port, with commas in between",
            "what browsers may call this server, besides the address in console.pages", parse: ConsoleRules.host),
        .secret(
            "console.databaseURL", \.console.databaseURL,
            rule: "a libpq URI (postgresql://…) or key=value connection string",
            "the address of PostgreSQL with the login of the pages; without it database.url", change: .restart),
        .list(
            "console.proxies", \.console.proxies, item: ConsoleRules.proxyPattern,
            rule: "addresses such as 10.0.0.5 and networks such as 10.0.0.0/8, with commas in between",
            "the proxies with TLS in front of the pages; nobody else may send forwarded requests"
        ) { AddressRange($0) },
        .optionalText(
            "console.userHeader", \.console.userHeader,
            .text(
                rule: "the name of a header field that only your proxies set, such as X-Forwarded-User",
                holds: ConsoleRules.isUserHeader),
            "the header field in which console.proxies name the person, who has signed in there", change: .live),
        .flag(
            "console.readOnly", \.console.isReadOnly, "whether nobody can change anything in the pages", change: .live),
        .integer(
            "console.statementSeconds", \.console.statementSeconds, 1...60, unit: "seconds",
            "how long each part of a page may read from PostgreSQL; then the page shows the rest", change: .live),
    ]
}

extension ConsoleUser {
    /// The key table of a person's entry.
    static let keys: [SettingKey<ConsoleUser>] = [
        .list(
            "may", \.rights, item: "(\(PersonRight.allCases.map(\.rawValue).joined(separator: "|")))",
            rule: PersonRight.allCases.map(\.rawValue).joined(separator: ", ")
                + ", or several of them with commas in between",
            "what this person may do"
        ) { PersonRight(rawValue: $0) },
        .secret(
            "password", \.password, rule: passwordRule,
            "a hash of the password, never the password itself", change: .live),
    ]

    /// Completes "must be …".
    static let passwordRule = "what fanfare console password prints"

    /// `may` in the order of `PersonRight`.
    private var rights: [PersonRight] {
        get { PersonRight.allCases.filter(may.contains) }
        set { may = Set(newValue) }
    }
}

extension SettingKey {
    /// Takes effect without a new worker.
    ///
    /// - Parameters:
    ///   - item: the pattern of one item, for editors.
    ///   - parse: nil: the text is no item.
    fileprivate static func list<Item: SendableMetatype>(
        _ name: String, _ field: WritableKeyPath<Owner, [Item]> & Sendable, item: String, rule: String, _ about: String,
        parse: @escaping @Sendable (String) -> Item?
    ) -> Self {
        Self(
            name: name,
            rule: .text(rule: rule, pattern: "^(\(item)( *, *\(item))*)?$") { ListText.items($0, parse) != nil },
            about: about, change: .live
        ) {
            .text(ListText.text($0[keyPath: field].map { "\($0)" }))
        } set: {
            $0[keyPath: field] = ListText.items($1.description, parse) ?? []
        }
    }
}
