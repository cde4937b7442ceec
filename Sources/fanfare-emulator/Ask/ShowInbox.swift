import CommandLineTool
import ArgumentParser
import HubEmulator

/// `fanfare-emulator inbox`
struct ShowInbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inbox", abstract: "Print what the devices of a running emulator got, oldest first.",
        discussion: """
            The newest of all devices together, or of one. --follow prints what arrives from then on, too, until it gets \
            Ctrl-C.

            Example: fanfare-emulator inbox alice --follow
            """)

    @Argument(help: "Id of one device. Default: all.") var device: String?
    @Option(help: ArgumentHelp("Only devices with this tag.", valueName: "tag")) var tag: String?
    @Option(help: ArgumentHelp("Only pushes with this text, ignoring case.", valueName: "text")) var text: String?
    @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "number")) var limit = 100
    @Flag(help: "Go on with what arrives; with --json one document on each line.") var follow = false
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--limit", limit, in: 1...1_000) }

    func run() async throws {
        try await EmulatorClient.open(emulator, options.common) { client in
            let filter = [("device", device), ("tag", tag), ("text", text)]
            let first = try await client.ask(.get, "inbox" + emulator.query(filter + [("limit", "\(limit)")]))
            let page = try EmulatorClient.decode(first, as: InboxAnswer.self)
            guard follow else {
                let oldestFirst = InboxAnswer(arrivals: page.arrivals.reversed())
                return try options.show(Report(oldestFirst.lines, first.json))
            }
            try show(page.arrivals.reversed())
            // Numbered by sends: everything up to this one is printed.
            var number = try await last(client)
            number = max(number, page.arrivals.first?.push.number ?? 0)
            while true {
                let since = [("since", "\(number)")]
                let waited = try await client.ask(
                    .get, "wait" + emulator.query(filter + since + [("timeout", "50")]), accepting: [408])
                guard waited.status != 408 else { continue }
                let news = try await client.read(
                    "inbox" + emulator.query(filter + since + [("limit", "1000")]), as: InboxAnswer.self)
                try show(news.arrivals.reversed())
                number = max(number, news.arrivals.first?.push.number ?? number)
            }
        }
    }

    /// The number of the newest arrival of anybody, so that an empty page is followed from there.
    private func last(_ client: EmulatorClient) async throws -> Int {
        try await client.read("inbox?limit=1", as: InboxAnswer.self).arrivals.first?.push.number ?? 0
    }

    private func show(_ arrivals: [InboxPush]) throws {
        guard !arrivals.isEmpty else { return }
        let lines = try arrivals.map { options.json.isOn ? try CompactJSON.line($0) : InboxAnswer.line($0) }
        try StandardStreams.print(lines.joined(separator: "\n"))
    }
}
