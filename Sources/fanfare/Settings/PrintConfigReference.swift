import ArgumentParser
import Daemon

/// `fanfare config reference`
struct PrintConfigReference: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference",
        abstract: "Print docs/configuration.md: every setting, its range, default and variable.",
        discussion: """
            Reads no settings.

            Example: fanfare config reference | less
            """)

    @OptionGroup var options: CommandOptions

    func run() throws {
        try StandardStreams.print(ConfigReference(Settings.reference()).text)
    }
}
