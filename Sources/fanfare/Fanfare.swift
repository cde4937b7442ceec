import ArgumentParser
import Daemon
import Glibc

/// The command `fanfare`: which subcommands there are, and how each of them ends.
@main
struct Fanfare: AsyncParsableCommand {
    // No default subcommand: with one, `fanfare --nope` would be answered with the usage of that subcommand.
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Sends the rows of push.message as push notifications.",
        discussion: """
            Settings come from config.json (or --config FILE), from FANFARE_… variables and credential files; \
            `fanfare config print` shows which value came from where.

            Example: fanfare migrate up && fanfare enqueue --hub news --tag World --property message=Hello

            Exit codes: 0 done, 1 some messages failed for good (drain, send), 64 wrong command line, 65 bad input or refused row, 69 database or hub out of reach, \
            74 output cannot be written, 75 try again later, 77 no permission, 78 wrong settings or schema.
            """,
        version: Daemon.version,
        subcommands: [PrintManual.self],
        groupedSubcommands: [
            CommandGroup(name: "Seeing it work", subcommands: [Demo.self, Emulate.self]),
            CommandGroup(name: "Sending", subcommands: [Run.self, Drain.self, Enqueue.self, Send.self]),
            CommandGroup(
                name: "Looking and deciding",
                subcommands: [
                    ShowStatus.self, ShowEstimate.self, Top.self, MessageCommands.self, DoubtCommands.self,
                    HubCommands.self, RescueWorker.self, PurgeCommand.self,
                ]),
            CommandGroup(
                name: "Setting up",
                subcommands: [
                    MigrateCommands.self, ConfigCommands.self, InstallationCommands.self, Doctor.self, Bench.self,
                    Healthcheck.self,
                ]),
            CommandGroup(
                name: "Trying out", subcommands: [TagCommands.self, TemplateCommands.self, PrintToken.self]),
        ])

    static func main() async {
        // A reader that went away is met where we write, as EPIPE; libraries that write to sockets must not kill us.
        signal(SIGPIPE, SIG_IGN)
        CoreDumpLimit.forbid()
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
    }

    /// Says what went wrong, if something did, and ends the process with the status for it.
    private static func end(with error: any Error) -> Never {
        if error is StandardStreams.Closed { Glibc.exit(ExitStatus.ok.rawValue) }
        if let code = error as? ExitCode { Glibc.exit(code.rawValue) }
        if let failure = Failure(of: error) {
            StandardStreams.complain(failure.text)
            Glibc.exit(failure.status.rawValue)
        }
        switch exitCode(for: error) {
        case .success: exit(withError: error)  // help and version, to standard output
        case .validationFailure:
            StandardStreams.complain(wrongUsage(error).text)
            Glibc.exit(ExitStatus.usage.rawValue)
        default:
            StandardStreams.complain("fanfare: internal fault: \(type(of: error)) was not expected here")
            Glibc.exit(ExitStatus.internalFault.rawValue)
        }
    }

    /// ArgumentParser knows which command it was, but says so only in its own long form.
    private static func wrongUsage(_ error: any Error) -> Failure {
        let command = fullMessage(for: error).firstMatch(of: /See '(.+) --help'/).map { String($0.1) } ?? "fanfare"
        let message = message(for: error)
        return Failure(
            command == "fanfare" ? "wrong command line" : String(command.trimmingPrefix("fanfare ")),
            because: message.prefix(1).lowercased() + message.dropFirst(), hint: "\(command) --help", status: .usage)
    }
}
