import ArgumentParser
import Configuration
import Glibc

/// One of our programs: its root command, and how each of its commands ends.
///
/// A command ends with 0, or throws: a `Failure` says what went wrong in one line with a hint and names the exit status
/// (`ExitStatus`, after sysexits.h); an `ExitCode` has said everything itself.
package protocol Program: AsyncParsableCommand {
    /// What an error of the program's libraries means to the person at the command line; nil: not one of theirs.
    static func failure(of error: any Error) -> Failure?

    /// Reports a failure in its own way and returns the exit status; nil: it is reported like all others.
    static func ending(with failure: Failure) -> Int32?
}

extension Program {
    package static func failure(of error: any Error) -> Failure? {
        error as? Failure ?? (error as? SettingsError).map { Failure($0.problems) }
    }

    package static func ending(with failure: Failure) -> Int32? { nil }

    /// What the program is called, in its messages.
    package static var programName: String { configuration.commandName ?? "fanfare" }

    package static func main() async {
        UnsafeEnvironment.clear()
        // A reader that went away shows as EPIPE where we write; libraries that write to sockets must not kill us.
        signal(SIGPIPE, SIG_IGN)
        CoreDumpLimit.forbid()
        do {
            try CommandWords.check(Array(CommandLine.arguments.dropFirst()), of: Self.self)
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

    /// Prints what went wrong, if something did, and ends the process with the status for it.
    private static func end(with error: any Error) -> Never {
        if error is StandardStreams.Closed { Glibc.exit(ExitStatus.ok.rawValue) }
        if let code = error as? ExitCode { Glibc.exit(code.rawValue) }
        if let failure = failure(of: error) { end(with: failure) }
        switch exitCode(for: error) {
        case .success: printAsked(error)
        case .validationFailure: end(with: wrongUsage(error))
        default:
            end(with: Failure("internal fault", because: "unexpected \(type(of: error))", status: .internalFault))
        }
    }

    private static func end(with failure: Failure) -> Never {
        if let status = ending(with: failure) { Glibc.exit(status) }
        StandardStreams.printError(failure.text(from: programName))
        Glibc.exit(failure.status.rawValue)
    }

    /// Help, a version or a script: to standard output.
    private static func printAsked(_ error: any Error) -> Never {
        var text = fullMessage(for: error)
        if !CommandLine.arguments.contains("--help-hidden") { text = CommonOptions.shortened(in: text) }
        while text.hasSuffix("\n") { text.removeLast() }
        do {
            try StandardStreams.print(text)
            Glibc.exit(ExitStatus.ok.rawValue)
        } catch {
            end(with: error)
        }
    }

    /// ArgumentParser knows which command it was and what the option is for, but shows that only in its own long form.
    private static func wrongUsage(_ error: any Error) -> Failure {
        let long = fullMessage(for: error)
        let command = long.firstMatch(of: /See '(.+) --help'/).map { String($0.1) } ?? programName
        let help = long.firstMatch(of: /\nHelp: +(?:-.+?|<.+?>) {2}(.+?)\.?\n/).map { " (\($0.1))" } ?? ""
        let message = message(for: error)
            .replacing(#/\. Please provide one of the following:\s+- /#, with: ": it is one of ")
            .replacing(#/\s+- /#, with: ", ")
        return Failure(
            command == programName ? "wrong command line" : String(command.trimmingPrefix("\(programName) ")),
            because: message.prefix(1).lowercased() + message.dropFirst(), hint: "\(command) --help\(help)",
            status: .usage)
    }
}

/// Core dumps hold every key and token the process has, and lie in a directory or with a service that keeps them.
public enum CoreDumpLimit {
    /// From now on no core dump of this process or its children is written.
    ///
    /// The limit becomes 1 byte and not 0, because 1 is what the kernel takes for "neither as a file nor to a program"
    /// (fs/coredump.c): at 0, `systemd-coredump` and its like would still be handed one.
    public static func forbid() {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return }  // fails for a limit that does not exist, only
        let least = min(1, limit.rlim_max)
        limit = rlimit(rlim_cur: least, rlim_max: least)
        setrlimit(resource, &limit)  // lowering a limit is always allowed
    }
}
