import ArgumentParser
import CommandLineTool
import PushModel

/// The program `fanfare-emulator`: a notification hub on this machine, and commands that ask one that is running.
@main
struct FanfareEmulator: Program {
    static let configuration = CommandConfiguration(
        commandName: "fanfare-emulator",
        abstract: "A notification hub on this machine, for development and tests.",
        discussion: """
            Without a subcommand it runs, as `fanfare-emulator run` does: it serves the hubs of config.json that live on \
            this machine, or the hub news when there is no settings file. The other commands talk to an emulator that \
            is running, wherever it was started.

            Example: fanfare-emulator

            Example: fanfare-emulator --hub breaking-news --tls-port 8443 --ca-file /tmp/ca.pem
            """,
        version: fanfareVersion,
        subcommands: [RunEmulator.self, PrintManual<FanfareEmulator>.self, PrintCompletions<FanfareEmulator>.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Ask a running emulator",
                subcommands: [
                    ShowInbox.self, Wait.self, PrintCursor.self, ShowJournal.self, Clear.self, DeviceCommands.self,
                    FaultCommands.self, ClockCommands.self,
                ])
        ],
        defaultSubcommand: RunEmulator.self)
}
