import Configuration
import ArgumentParser
import CommandLineTool
import PushModel

/// The program `fanfare`: its subcommands.
@main
struct Fanfare: Program {
    // No default subcommand: with one, `fanfare --nope` would be answered with the usage of that subcommand.
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Sends the rows of push.message as push notifications.",
        discussion: """
            Settings come from config.json (or --config FILE), from FANFARE_… variables and credential files; \
            `fanfare config print` shows which value came from where.

            Example: fanfare migrate up && fanfare enqueue --hub news --tag World --property message=Hello

            Exit codes: 0 done, 1 some messages or changes of devices failed for good (drain, send) or would fail (plan), 64 wrong command line, 65 bad input or refused row, 69 database or hub out of reach, \
            74 output cannot be written, 75 try again later, 77 no permission, 78 wrong settings or schema.
            """,
        version: fanfareVersion,
        subcommands: [PrintManual<Fanfare>.self],
        groupedSubcommands: [
            CommandGroup(
                name: "Sending",
                subcommands: [
                    Run.self, Drain.self, Enqueue.self, Send.self, CampaignCommands.self, ScheduleCommands.self,
                    SuppressCommands.self,
                ]),
            CommandGroup(
                name: "Looking and deciding",
                subcommands: [
                    PlanCommand.self, ShowStatus.self, Check.self, ShowEstimate.self, Top.self, MessageCommands.self,
                    DoubtCommands.self, DeviceCommands.self, HubCommands.self, RescueWorker.self, PurgeCommand.self,
                ]),
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    MigrateCommands.self, ConfigCommands.self, ConsoleCommands.self, MetricsCommands.self,
                    InstallationCommands.self, Doctor.self, Bench.self, Healthcheck.self,
                    PrintCompletions<Fanfare>.self,
                ]),
            CommandGroup(
                name: "Trying out",
                subcommands: [TagCommands.self, TemplateCommands.self, PrintToken.self, Emulate.self]),
        ])

    static func failure(of error: any Error) -> Failure? { Failure(of: error) }

    /// Monitors read standard output, and know other statuses than the shell.
    static func ending(with failure: Failure) -> Int32? {
        guard Check.isMeant(by: CommandLine.arguments) else { return nil }
        return MonitorLine.say(failure, asJSON: CommandLine.arguments.contains("--json"))
    }
}
