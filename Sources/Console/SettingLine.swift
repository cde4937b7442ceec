/// One setting in effect, and where it came from.
public struct SettingLine: Sendable, Hashable {
    /// Dotted: `hubs.news.window`.
    public var name: String
    /// A secret is masked already. Empty: it is not set.
    public var value: String
    /// `default`, a variable, or `config.json, line 12`.
    public var source: String

    public init(name: String, value: String, source: String) {
        self.name = name
        self.value = value
        self.source = source
    }
}
