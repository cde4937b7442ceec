import ArgumentParser
import CommandLineTool
import Glibc
import PushModel
import Store

/// `fanfare check`
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Say OK, WARNING or CRITICAL in one line, for Nagios and its like.",
        discussion: """
            A limit is oldest=TIME (how long the oldest message has been due: 60s, 5m, 1h30m; a time alone means this \
            one), in_doubt=COUNT, or failed=PERCENT of the messages of a hub that ended in the last hour, if these are \
            at least 20. It counts from its value on. Several are separated by commas or options; =off switches one \
            off. Unless given they are oldest=1m,in_doubt=1,failed=5% (--warning) and oldest=5m,failed=50% (--critical).

            Always critical: the database is out of reach, a worker cannot write, messages are due and no living \
            worker serves their hub, or a hub is held. A paused hub whose messages wait only warns.

            Needs a login with push_monitor or push_worker. The line goes to standard output, whatever happens. \
            deploy/nagios/check_fanfare does the same with psql.

            Exits 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN (wrong usage, rights, settings or schema).

            Example: fanfare check --warning 2m,failed=10% --critical 10m
            """)

    @Option(name: [.short, .long], help: ArgumentHelp("Limits of WARNING. Repeatable.", valueName: "limits"))
    var warning: [String] = []

    @Option(name: [.short, .long], help: ArgumentHelp("Limits of CRITICAL. Repeatable.", valueName: "limits"))
    var critical: [String] = []

    @Option(help: ArgumentHelp("Look at this hub only.", valueName: "name"), completion: .hub) var hub: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("CRITICAL when the database has not answered by then. Default: 10s.", valueName: "time"))
    var timeout: DurationArgument?

    @OptionGroup var options: ReportOptions

    func run() async throws {
        let limit = timeout?.seconds ?? 10
        // A statement that hangs in the network does not end when its task is cancelled.
        let watch = Task {
            try await Task.sleep(for: .seconds(limit))
            let failure = Failure(
                "cannot check", because: "the database did not answer within \(HumanFormat.duration(limit))",
                status: .unavailable)
            _exit(MonitorLine.say(failure, asJSON: options.json.isOn))
        }
        defer { watch.cancel() }
        try await options.common.withDatabase { database in
            let line = MonitorLine(
                try await MonitorReport.read(from: database, warning: warning, critical: critical, hub: hub))
            watch.cancel()
            try options.show(Report(line.text, line.json))
            // Statuses that monitors know, and no other command ends with.
            if line.state != .ok { throw ExitCode(line.state.rawValue) }
        }
    }

    /// Whether this is the command that was given, also if its options cannot be read.
    static func isMeant(by arguments: [String]) -> Bool { arguments.dropFirst().first == "check" }
}
