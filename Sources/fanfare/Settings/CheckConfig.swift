import ArgumentParser
import Daemon

/// `fanfare config check`
struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Report everything that is wrong or odd with the settings; then it exits 78.",
        discussion: """
            Warnings, such as unknown keys, do not keep other commands from running; here they count as well.

            Example: fanfare config check && systemctl reload fanfare
            """)

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() throws {
        var problems: [SettingsProblem] = []
        var warnings: [SettingsProblem] = []
        var file: String?
        do throws(SettingsError) {
            let settings = try options.loadSettings()
            (warnings, file) = (settings.warnings, settings.file)
        } catch {
            (problems, warnings) = (error.problems, error.warnings)
        }
        let isGood = problems.isEmpty && warnings.isEmpty
        if json.isOn {
            let document: JSONOutput = .object([
                "ok": .flag(isGood), "problems": .list(problems.map(\.json)), "warnings": .list(warnings.map(\.json)),
            ])
            try StandardStreams.print(document.document)
        } else if isGood {
            try StandardStreams.print("\(file ?? "settings"): nothing is wrong")
        } else {
            var failure = Failure(problems + warnings)
            for index in warnings.indices { failure.complaints[problems.count + index].what += " (warning)" }
            throw failure
        }
        if !isGood { throw ExitCode(ExitStatus.configuration.rawValue) }
    }
}

extension SettingsProblem {
    fileprivate var json: JSONOutput {
        .object(["key": .text(key), "found": .text(found), "rule": .text(rule), "remedy": .text(remedy)])
    }
}
