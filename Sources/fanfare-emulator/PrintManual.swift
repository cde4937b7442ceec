import ArgumentParser
import CommandLineTool

/// `fanfare-emulator manual`: fanfare-emulator(1), as packages install it. Not in the list of commands.
struct PrintManual: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual", abstract: "Print the manual page.",
        discussion: """
            Reads no settings.

            Example: fanfare-emulator manual | man -l -
            """, shouldDisplay: false)

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() throws {
        let page = try ManualPage(
            of: FanfareEmulator.self,
            sections: [
                .init(
                    "SIGNALS",
                    [
                        (
                            "SIGTERM, SIGINT",
                            "Stop: write the state file if there is one, close every connection, and end with 0."
                        )
                    ]),
                .init(
                    "ENVIRONMENT",
                    [
                        (
                            "EMULATOR_AT",
                            "Where run listens and where the other commands look for an emulator, as HOST:PORT. --listen "
                                + "and --at come first."
                        )
                    ]),
                .init(
                    "FILES",
                    [
                        ("config.json", "The settings, in the current directory: which hubs to serve, and their keys."),
                        ("/etc/fanfare/config.json", "The settings, where there is no such file."),
                    ]),
                .exitStatus,
            ], seeAlso: ["curl 1", "fanfare 1"])
        try StandardStreams.print(page.text)
    }
}
