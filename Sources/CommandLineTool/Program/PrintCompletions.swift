import ArgumentParser

/// `PROGRAM completions SHELL`: what completes commands and options in a shell.
package struct PrintCompletions<Of: Program>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "completions", abstract: "Print the script that completes commands in a shell.",
            discussion: """
                Reads no settings. Packages install these scripts already.

                Example: source <(\(Of.programName) completions bash)
                """)
    }

    @Argument(help: "bash, zsh or fish.") var shell: ShellName
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    package init() {}

    package func run() throws { try StandardStreams.print(Of.completionScript(for: shell.completionShell)) }
}
