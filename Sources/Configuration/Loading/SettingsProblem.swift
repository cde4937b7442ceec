import PushModel
import Signing
import Telemetry

/// One problem of the settings, with what is needed to fix it.
public struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// `dispatch.batch`, or the name of a file, a variable or a credential.
    public let key: String
    /// What was found: `is 5000 (config.json, line 27)`, `is not set`. Never a secret.
    public let found: String
    public let rule: String
    /// What to do about it.
    public let remedy: String

    /// Every text becomes one line without anything that looks like a secret.
    public init(key: String, found: String, rule: String, remedy: String) {
        self.key = Self.oneLine(key)
        self.found = Self.oneLine(found)
        self.rule = rule
        self.remedy = Self.oneLine(remedy)
    }

    public var description: String { "\(key) \(found): \(rule). \(remedy)." }

    private static func oneLine(_ text: String) -> String { SecretMask.masked(text.onOneLine) }
}

/// Every problem of the settings.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Never empty.
    public let problems: [SettingsProblem]
    public let warnings: [SettingsProblem]

    public init(problems: [SettingsProblem], warnings: [SettingsProblem] = []) {
        self.problems = problems
        self.warnings = warnings
    }

    /// One problem per line.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
