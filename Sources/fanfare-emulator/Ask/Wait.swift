import ArgumentParser
import CommandLineTool
import HubEmulator
import PushModel

/// `fanfare-emulator wait`
struct Wait: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until devices of a running emulator got something.",
        discussion: """
            Counts what arrives from now on, never what an earlier test left behind. A test that sends first takes a \
            number before it sends, and gives it as --since. Prints what arrived. Exits 0, or 75 when the time is over.

            Example: since=$(fanfare-emulator cursor); ./send-something; fanfare-emulator wait --tag World --since $since
            """)

    @Option(help: ArgumentHelp("Only this device; needs --hub if there are several.", valueName: "id"))
    var device: String?

    @Option(
        help: ArgumentHelp("Only this handle of direct sends; needs --hub if there are several.", valueName: "handle"))
    var handle: String?

    @Option(help: ArgumentHelp("Only devices with this tag.", valueName: "tag")) var tag: String?
    @Option(help: ArgumentHelp("Only pushes with this text, ignoring case.", valueName: "text")) var text: String?
    @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "number")) var count = 1

    @Option(
        help: ArgumentHelp(
            "Only what came of later sends than this number of cursor; 0: everything. Default: the last send so far.",
            valueName: "number"))
    var since: Int?

    @Option(help: ArgumentHelp("How long, such as 10s or 2m. Default: 10s.", valueName: "time"))
    var timeout: DurationArgument?

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        try require("--count", count, in: 1...1_000)
        guard since ?? 0 >= 0 else { throw ValidationError("--since is 0 or more.") }
    }

    func answer(_ client: EmulatorClient) async throws -> Report {
        let answer = try await arrivals(client)
        let found = try EmulatorClient.decode(answer, as: InboxAnswer.self)
        let report = Report(found.lines, answer.json)
        guard answer.status == 408 else { return report }
        let earlier = found.earlier ?? 0
        return report.failing(
            with: Failure(
                "the wait is over", because: "\(found.arrivals.count) of \(count) arrived",
                hint: earlier > 0
                    ? "\(HumanFormat.count(earlier, "notification")) came before the wait began: take the number of "
                        + "fanfare-emulator cursor before sending, and give it as --since"
                    : nil,
                status: .tryLater), always: true)
    }

    /// Asks until enough arrived or the time is over.
    private func arrivals(_ client: EmulatorClient) async throws -> EmulatorClient.Answer {
        let end = ContinuousClock.now.advanced(by: .seconds(min(timeout?.seconds ?? 10, 86_400)))
        // Read once: it has to stay the same when the emulator is asked again.
        var since = since
        if since == nil { since = try await client.read("status", as: EmulatorStatus.self).number }
        while true {
            let left = Int((ContinuousClock.now.duration(to: end) / .seconds(1)).rounded(.up))
            // Longer than the emulator waits at once: then it is asked again.
            let query = emulator.query([
                ("device", device), ("handle", handle), ("tag", tag), ("text", text), ("count", "\(count)"),
                ("since", "\(since ?? 0)"), ("timeout", "\(max(0, min(left, 50)))"),
            ])
            let answer = try await client.ask(.get, "wait" + query, accepting: [408])
            if answer.status != 408 || ContinuousClock.now >= end { return answer }
        }
    }
}
