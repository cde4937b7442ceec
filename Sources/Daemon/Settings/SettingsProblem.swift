import PushModel
import Telemetry

/// One thing that is wrong with the settings, told so that it can be mended without looking anything up.
public struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// `dispatch.batch`, or the name of a file, a variable or a credential.
    public let key: String
    /// What was found, in words: `is 5000 (config.json, line 27)`, `is not set`. Never a secret.
    public let found: String
    /// What must hold.
    public let rule: String
    /// What to do.
    public let remedy: String

    /// `found` is shown without what looks like a secret, on one line.
    public init(key: String, found: String, rule: String, remedy: String) {
        self.key = Self.oneLine(key)
        self.found = Self.oneLine(found)
        self.rule = rule
        self.remedy = Self.oneLine(remedy)
    }

    public var description: String { "\(key) \(found): \(rule). \(remedy)." }

    private static func oneLine(_ text: String) -> String { Redaction.masked(text.onOneLine) }
}

/// Everything that is wrong with the settings, at once.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Never empty.
    public let problems: [SettingsProblem]
    public let warnings: [SettingsProblem]

    /// One problem per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
