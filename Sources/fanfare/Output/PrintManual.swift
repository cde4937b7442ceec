import ArgumentParser
import Foundation

/// `fanfare manual`: what bin/generate makes share/man/fanfare.1 of. Not in the list of commands: people have `man fanfare`.
struct PrintManual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page.",
        discussion: """
            Reads no settings.

            Example: fanfare manual | man -l -
            """, shouldDisplay: false)

    @OptionGroup var options: CommandOptions

    func run() throws {
        let dump = try JSONDecoder().decode(HelpDump.self, from: Data(Fanfare._dumpHelp().utf8))
        try StandardStreams.print(ManualPage(dump.command).text)
    }
}
