import ArgumentParser
import Daemon
import Fanout
import Logging
import Store

/// `fanfare drain`
struct Drain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Post what is due now, wait for retries, and end: for cron.",
        discussion: """
            Ends with 0 when everything is done, 1 when some messages failed for good or are in doubt, 75 when work is \
            left at --max-runtime. Messages scheduled for later are not waited for.

            Example: fanfare drain --max-runtime 600
            """)

    @OptionGroup var options: CommandOptions
    @OptionGroup var json: JSONOption

    @Option(
        help: ArgumentHelp(
            "Seconds after which it stops with work left. Default: as long as it takes.", valueName: "seconds"))
    var maxRuntime: Double?

    @Flag(help: "Show progress on standard error.")
    var progress = false

    func validate() throws {
        if let maxRuntime, !(maxRuntime > 0) {
            throw ValidationError("--max-runtime is \(maxRuntime); it must be above 0")
        }
    }

    func run() async throws {
        let settings = try options.settings()
        let log = Logger(label: "fanfare")
        let stop = StopSignal(log: log)
        let meter = progress ? ProgressLine() : nil
        let (summary, left) = try await Failure.saying("cannot drain") {
            try await Worker(settings, log: log).drain(
                within: maxRuntime, until: { await stop.wait() },
                report: { view, left in
                    let done = await view.done
                    await meter?.show(done: done.messages, left: left, inFlight: view.inFlight)
                })
        }
        await meter?.end()
        try Console.print(json.isOn ? document(summary, left).document : text(summary, left))
        let status = Self.status(summary, left)
        if status != .ok { throw ExitCode(status.rawValue) }
    }

    static func status(_ summary: Dispatcher.Summary, _ left: Int64) -> ExitStatus {
        if left > 0 { return .tryLater }
        return summary.rejected + summary.expired + summary.inDoubt > 0 ? .someFailed : .ok
    }

    private func document(_ summary: Dispatcher.Summary, _ left: Int64) -> JSONValue {
        .object([
            "accepted": .number(summary.accepted), "expired": .number(summary.expired),
            "in_doubt": .number(summary.inDoubt), "left": .number(left), "posts": .number(summary.posts),
            "rejected": .number(summary.rejected), "retried": .number(summary.retrying),
        ])
    }

    private func text(_ summary: Dispatcher.Summary, _ left: Int64) -> String {
        var parts = ["\(summary.accepted) accepted in \(summary.posts) posts"]
        if summary.rejected > 0 { parts.append("\(summary.rejected) rejected") }
        if summary.expired > 0 { parts.append("\(summary.expired) expired") }
        if summary.inDoubt > 0 { parts.append("\(summary.inDoubt) in doubt (fanfare doubt list)") }
        if left > 0 { parts.append("\(left) left") }
        return parts.joined(separator: ", ")
    }
}
