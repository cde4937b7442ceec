import ArgumentParser
import CommandLineTool

/// `fanfare-emulator completions SHELL`: what completes commands and options in a shell.
struct PrintCompletions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print the script that completes commands in a shell.",
        discussion: """
            Reads no settings. Packages install these scripts already.

            Example: source <(fanfare-emulator completions bash)
            """)

    @Argument(help: "bash, zsh or fish.") var shell: ShellName
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() throws { try StandardStreams.print(shell.completions(of: FanfareEmulator.self)) }
}
