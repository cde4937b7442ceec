import ArgumentParser
import Configuration
import Logging
import PushModel
import Telemetry

/// What every command takes: where the settings are, and what overrides them.
package struct CommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Settings file. Default: config.json, then /etc/fanfare/config.json.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    package var config: String?

    @Option(help: ArgumentHelp("Least severe log line that is written.", valueName: "level"))
    package var logLevel: Logger.Level?

    @Option(help: ArgumentHelp("Form of log lines on standard error.", valueName: "format"))
    package var logFormat: LogFormat?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Override one setting, such as dispatch.batch=500. Repeatable. Others see it in ps: no secrets.",
            valueName: "key=value"),
        completion: .setting)
    package var overrides: [KeyValue] = []

    package init() {}

    /// Of two values for one setting, one would win in silence.
    package func validate() throws {
        let keys = overrides.map(\.key)
        if let twice = keys.enumerated().first(where: { keys.prefix($0.offset).contains($0.element) })?.element {
            throw ValidationError("--set \(twice) is given twice: give it once.")
        }
        for (key, option, isGiven) in [
            ("log.level", "--log-level", logLevel != nil), ("log.format", "--log-format", logFormat != nil),
        ] where isGiven && keys.contains(key) {
            throw ValidationError("--set \(key) and \(option) are the same setting: give one of them.")
        }
    }

    /// All options that are settings, by dotted key.
    private var settingsGiven: [String: String] {
        var given = Dictionary(overrides.map { ($0.key, $0.value) }) { $1 }
        if let logLevel { given["log.level"] = logLevel.rawValue }
        if let logFormat { given["log.format"] = logFormat.rawValue }
        return given
    }

    /// Reads the settings and starts the log, where warnings about them go.
    ///
    /// - Throws: `SettingsError`.
    package func settings(_ scope: Settings.Scope = .everything) throws -> Settings {
        try settingsAndThreshold(scope).settings
    }

    /// As `settings`, with where the log's level can be changed later.
    package func settingsAndThreshold(_ scope: Settings.Scope = .everything) throws -> (
        settings: Settings, LogThreshold
    ) {
        let settings = try loadSettings(scope)
        let threshold = bootstrapLogging(level: settings.log.level, format: settings.log.format)
        let log = Logger(label: "fanfare.settings")
        for warning in settings.warnings { log.warning("\(warning)") }
        UnsafeEnvironment.report(to: log)
        return (settings, threshold)
    }

    /// Reads the settings and nothing else.
    package func loadSettings(_ scope: Settings.Scope = .everything) throws(SettingsError) -> Settings {
        try Settings.load(file: config, overrides: settingsGiven, scope: scope)
    }
}

/// The options that every command takes, in the help of a command: one line, behind its own options.
package enum CommonOptions {
    /// The title of their section: `@OptionGroup(title: CommonOptions.title)`.
    package static let title = "Common options"

    /// The help of a command with that section as one line at the end. `--help-hidden` shows it whole. Pure.
    static func shortened(in help: String) -> String {
        guard let section = help.firstMatch(of: /COMMON OPTIONS:\n(?:  .*\n?)+\n*/) else { return help }
        let options = section.output.matches(of: /\n  (--[a-z-]+ <[^>]+>)/).map { String($0.output.1) }
        var rest = help
        rest.removeSubrange(section.range)
        for option in options {
            rest = rest.replacing(scalars: " [\(option)]", with: "").replacing(scalars: " [\(option) ...]", with: "")
        }
        return rest + "\nCOMMON OPTIONS (--help-hidden explains them):\n  \(options.joined(separator: "  "))"
    }
}

/// `key=value`, split at the first `=`.
package struct KeyValue: ExpressibleByArgument {
    package let key: String
    package let value: String

    package init?(argument: String) {
        guard let equals = argument.firstIndex(of: "="), equals > argument.startIndex else { return nil }
        key = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}

/// What every command takes that shows something.
package struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print one JSON document instead of text for people.")
    package var isOn = false

    package init() {}
}
