import ArgumentParser

/// `fanfare emulate`: a hub on this machine, and what asks one that is running.
struct Emulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate", abstract: "Be a notification hub on this machine, and ask one that is running.",
        discussion: """
            Without a subcommand it runs, as `fanfare emulate run` does. The others talk to one that is running.

            Example: fanfare emulate --hub breaking-news
            """,
        subcommands: [
            EmulateRun.self, EmulateInbox.self, EmulateWait.self, EmulateClear.self, EmulateJournal.self,
            EmulateFaultCommands.self, EmulateDeviceCommands.self,
        ],
        defaultSubcommand: EmulateRun.self)
}
