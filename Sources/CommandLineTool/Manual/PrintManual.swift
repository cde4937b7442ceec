import ArgumentParser

/// A program with a manual page.
package protocol DocumentedProgram: Program {
    static func manual() throws -> ManualPage
}

/// `PROGRAM manual`: its page, as packages install it. Not in the list of commands: people have `man PROGRAM`.
package struct PrintManual<Of: DocumentedProgram>: ParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "manual", abstract: "Print the manual page.",
            discussion: """
                Reads no settings.

                Example: \(Of.programName) manual | man -l -
                """, shouldDisplay: false)
    }

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    package init() {}

    package func run() throws { try StandardStreams.print(try Of.manual().text) }
}
