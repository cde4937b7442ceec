import PushModel
import Signing

/// One key: its name, its rule, and the field it fills. Everything else about a key comes from the table of these:
/// validation, environment variable, credential file, `config print`, suggestions for misspelt names.
struct SettingKey<Owner: Sendable>: Sendable {
    /// Under its owner: `dispatch.batch` in `Settings`, `window` in a hub.
    let name: String
    let rule: SettingRule
    /// One line for people.
    let about: String
    /// nil: not set.
    let get: @Sendable (Owner) -> SettingValue?
    /// Called only with values that the rule allows.
    let set: @Sendable (inout Owner, SettingValue) -> Void
    /// Whether the two have different values; also for secrets, which `get` masks.
    let differs: @Sendable (Owner, Owner) -> Bool
    /// When a new value takes effect.
    let change: SettingChange
    /// Of a hub's key: the kinds of hub that have it. Default: all.
    private(set) var kinds = HubKind.allCases

    init(
        name: String, rule: SettingRule, about: String, change: SettingChange = .reload,
        get: @escaping @Sendable (Owner) -> SettingValue?, set: @escaping @Sendable (inout Owner, SettingValue) -> Void,
        differs: (@Sendable (Owner, Owner) -> Bool)? = nil
    ) {
        self.name = name
        self.rule = rule
        self.about = about
        self.change = change
        self.get = get
        self.set = set
        self.differs = differs ?? { get($0) != get($1) }
    }

    static func integer(
        _ name: String, _ field: WritableKeyPath<Owner, Int> & Sendable, _ range: ClosedRange<Int>, unit: String,
        _ about: String, change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: .integer(range, unit: unit), about: about, change: change) {
            .integer($0[keyPath: field])
        } set: { owner, value in
            if case .integer(let number) = value { owner[keyPath: field] = number }
        }
    }

    static func flag(
        _ name: String, _ field: WritableKeyPath<Owner, Bool> & Sendable, _ about: String,
        change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: .flag, about: about, change: change) {
            .flag($0[keyPath: field])
        } set: { owner, value in
            if case .flag(let flag) = value { owner[keyPath: field] = flag }
        }
    }

    static func choice<Choice: RawRepresentable<String> & CaseIterable & SendableMetatype>(
        _ name: String, _ field: WritableKeyPath<Owner, Choice> & Sendable, _ about: String,
        change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: .choice(Choice.allCases.map(\.rawValue)), about: about, change: change) {
            .text($0[keyPath: field].rawValue)
        } set: { owner, value in
            if let choice = Choice(rawValue: value.description) { owner[keyPath: field] = choice }
        }
    }

    static func text(
        _ name: String, _ field: WritableKeyPath<Owner, String> & Sendable, _ rule: SettingRule, _ about: String,
        change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: rule, about: about, change: change) {
            .text($0[keyPath: field])
        } set: {
            $0[keyPath: field] = $1.description
        }
    }

    static func optionalText(
        _ name: String, _ field: WritableKeyPath<Owner, String?> & Sendable, _ rule: SettingRule, _ about: String,
        change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: rule, about: about, change: change) {
            $0[keyPath: field].map(SettingValue.text)
        } set: {
            $0[keyPath: field] = $1.description
        }
    }

    static func secret(
        _ name: String, _ field: WritableKeyPath<Owner, Secret?> & Sendable, rule: String, _ about: String,
        change: SettingChange = .reload
    ) -> Self {
        Self(name: name, rule: .secret(rule: rule), about: about, change: change) {
            $0[keyPath: field].map { .text($0.description) }
        } set: {
            $0[keyPath: field] = Secret($1.description)
        } differs: {
            $0[keyPath: field] != $1[keyPath: field]
        }
    }

    /// The same key, for hubs of these kinds.
    func only(for kinds: HubKind...) -> Self { with(kinds) }

    /// The same key, for hubs of the kinds of which `holds` is true.
    func only(where holds: (HubFacts) -> Bool) -> Self { with(HubKind.allCases.filter { holds($0.facts) }) }

    private func with(_ kinds: [HubKind]) -> Self {
        var key = self
        key.kinds = kinds
        return key
    }
}
