import ArgumentParser
import CommandLineTool
import Configuration
import Daemon

/// `fanfare config`
struct ConfigCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check the settings, show them with their sources, or describe them.",
        discussion: "Example: fanfare config check --config /etc/fanfare/config.json",
        subcommands: [CheckConfig.self, PrintConfig.self, PrintConfigSchema.self, PrintConfigReference.self])
}

/// `fanfare config check`
struct CheckConfig: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Report everything that is wrong or odd with the settings; then it exits 78.",
        discussion: """
            What is reported as wrong is what `fanfare run` ends with. Warnings, such as unknown keys, do not keep other \
            commands from running; here they count as well. The database is not asked: `fanfare doctor` does.

            Example: fanfare config check && systemctl restart fanfare
            """)

    @OptionGroup var options: ReportOptions

    func report() throws -> Report {
        do throws(SettingsError) {
            let settings = try options.common.loadSettings(.work)
            try settings.requireWork()
            return Report(of: settings.file, problems: [], warnings: settings.warnings)
        } catch {
            return Report(of: nil, problems: error.problems, warnings: error.warnings)
        }
    }
}

extension Report {
    /// - Parameter file: where the settings are.
    init(of file: String?, problems: [SettingsProblem], warnings: [SettingsProblem]) {
        let isGood = problems.isEmpty && warnings.isEmpty
        self.init(
            isGood ? "\(file ?? "settings"): nothing is wrong" : "",
            [
                "ok": .flag(isGood), "problems": .list(problems.map(\.json)), "warnings": .list(warnings.map(\.json)),
            ])
        if isGood { return }
        var failure = Failure(problems + warnings)
        for index in warnings.indices { failure.complaints[problems.count + index].what += " (warning)" }
        self.failure = failure
    }
}

extension SettingsProblem {
    fileprivate var json: JSONOutput {
        .object(["key": .text(key), "found": .text(found), "rule": .text(rule), "remedy": .text(remedy)])
    }
}

/// `fanfare config print`
struct PrintConfig: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print every setting in effect and where it came from, without secrets.",
        discussion: "Example: fanfare config print --set dispatch.batch=500")

    @OptionGroup var options: ReportOptions

    func report() throws -> Report {
        let settings = try options.common.settings()
        let rows = settings.describe()
        let table = TextTable(
            [.text("KEY"), .text("SOURCE"), .prose("VALUE")], widest: 100,
            rows: rows.map { [$0.key, $0.source, $0.value] })
        let list = rows.map {
            JSONOutput.object(["key": .text($0.key), "value": .text($0.value), "source": .text($0.source)])
        }
        return Report(fitting: table.text, .object(["file": .text(settings.file), "settings": .list(list)]))
    }
}

/// `fanfare config reference`
struct PrintConfigReference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print docs/configuration.md: every setting, its range, default and variable.",
        discussion: """
            Reads no settings.

            Example: fanfare config reference | less
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() throws {
        try StandardStreams.print(ConfigReference(Settings.reference()).text)
    }
}

/// `fanfare config schema`
struct PrintConfigSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema (2020-12) of config.json, for editors and checks.",
        discussion: """
            With "$schema": "./config.schema.json" in config.json an editor completes its keys. What the schema cannot say, \
            `fanfare config check` does. Reads no settings.

            Example: fanfare config schema > config.schema.json
            """)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() throws {
        try StandardStreams.print(ConfigSchema(Settings.reference()).document.document)
    }
}
