import PushModel
import Signing
import Telemetry

extension Settings {
    /// One line of `config print`.
    public struct Row: Sendable, Equatable {
        /// Dotted: `hubs.news.window`.
        public let key: String
        /// The value in effect; secrets as `•••`, empty when nothing is set.
        public let value: String
        /// `command line`, a variable, a credential file, `config.json, line 12`, or `default`.
        public let source: String
    }

    /// Every key with its value and source, in the order of the key table; then people and hubs by name, each hub with the keys
    /// of its kind.
    public func describe() -> [Row] {
        var rows = Settings.keys.map { row($0, at: $0.name, of: self) }
        for (name, user) in console.users.sorted(by: { $0.key < $1.key }) {
            rows += ConsoleUser.keys.map { row($0, at: "console.users.\(name).\($0.name)", of: user) }
        }
        for (name, hub) in hubs.sorted(by: { $0.key < $1.key }) {
            let languages = hub.settings.languages.keys.sorted().map(HubConfiguration.language)
            let keys = HubConfiguration.keys.filter { $0.kinds.contains(hub.settings.kind) }
            rows += (keys + languages).map { row($0, at: "hubs.\(name).\($0.name)", of: hub) }
        }
        return rows
    }

    private func row<Owner>(_ key: SettingKey<Owner>, at path: String, of owner: Owner) -> Row {
        Row(
            key: path, value: SecretMask.masked(key.get(owner)?.description ?? ""),
            source: (origins[path] ?? .initial).description)
    }

    /// One key for the reference page.
    public struct Description: Sendable, Equatable {
        /// With `NAME` for hubs and people and `LOCALE` for locales.
        public let key: String
        public let about: String
        /// `a whole number from 1 to 1000 (messages)`.
        public let rule: String
        public let kind: Kind
        /// The default; empty: none. For `hubs.NAME.hub` it is `NAME`, the name of the entry.
        public let initial: String
        public let variable: String
        /// The credential file; nil for a key that is not a secret.
        public let credential: String?
        public let change: SettingChange
        /// The kinds of hub that have it; empty: it is no key of a hub, or all have it.
        public let kinds: [HubKind]
    }

    /// The kind of a value, for a JSON Schema.
    public enum Kind: Sendable, Equatable {
        case integer(ClosedRange<Int>)
        case flag
        case choice([String])
        /// A regular expression of ECMA-262; nil: any text.
        case text(pattern: String?)
        case secret
    }

    /// The pattern of a hub's name (ECMA-262).
    public static let hubNamePattern = "^[a-z0-9_-]{1,63}$"
    /// The same of a person's name, as far as a pattern can say it.
    public static let userNamePattern = #"^(?!schedule$)\S( ?\S){0,199}$"#

    /// The key table for the documentation.
    public static func reference() -> [Description] {
        let hub = HubConfiguration(settings: .init(name: "NAME"))
        let users = ConsoleUser.keys.map { description(of: $0, at: "console.users.NAME.\($0.name)", in: ConsoleUser()) }
        return keys.map { description(of: $0, at: $0.name, in: Settings()) } + users
            + (HubConfiguration.keys + [HubConfiguration.language("LOCALE")])
            .map { description(of: $0, at: "hubs.NAME.\($0.name)", in: hub) }
    }

    private static func description<Owner>(of key: SettingKey<Owner>, at path: String, in owner: Owner) -> Description {
        let components = path.split(separator: ".").map(String.init)
        return Description(
            key: path, about: key.about, rule: key.rule.words, kind: key.rule.kind,
            initial: key.get(owner)?.description ?? "",
            variable: SettingsSources.environmentName(of: components),
            credential: key.rule.isSecret ? Credentials.fileName(of: components) : nil, change: key.change,
            kinds: key.kinds == HubKind.allCases ? [] : key.kinds)
    }
}

extension SettingRule {
    fileprivate var kind: Settings.Kind {
        switch self {
        case .integer(let range, _): .integer(range)
        case .flag: .flag
        case .choice(let names): .choice(names)
        case .text(_, let pattern, _): .text(pattern: pattern)
        case .secret: .secret
        }
    }
}
