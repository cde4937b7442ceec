import ArgumentParser
import CommandLineTool
import PushModel
import Store

extension CommandOptions {
    /// Calls a steering function until it is through, and says what it did.
    ///
    /// - Parameter words: of the messages that it reached, such as `paused`; also their key with `--json`.
    func steer(
        _ run: RunOptions, _ steering: CampaignStore.Steering, words: String, onTheWire: Bool = false, json: JSONOption
    ) async throws {
        try await withDatabase { database in
            let done = try await CampaignStore(database: database).steer(run, steering, words: words)
            if json.isOn {
                var members: [String: JSONOutput] = [
                    "campaign": .text(run.campaign), "run": .text(done.key),
                    words.replacing(scalars: " ", with: "_"): .number(done.messages),
                ]
                if onTheWire { members["on_the_wire"] = .number(done.onTheWire) }
                return try StandardStreams.print(JSONOutput.object(members).document)
            }
            let wire = done.onTheWire > 0 ? ", \(done.onTheWire) on the wire" : ""
            let messages = HumanFormat.count(done.messages, "message")
            try StandardStreams.print(
                "campaign \(run.campaign), run \(done.key.onOneLine): \(messages) \(words)\(wire)")
        }
    }
}

extension CampaignStore {
    /// Calls a steering function until it is through, and shows meanwhile how many messages it reached.
    fileprivate func steer(_ run: RunOptions, _ steering: Steering, words: String) async throws -> Step {
        let progress = ProgressLine()
        var done = try await steer(run.campaign, key: run.run, steering, after: nil)
        while let next = done.next {
            await progress.show("\(done.messages) \(words)")
            let more = try await steer(run.campaign, key: done.key, steering, after: next)
            done.messages += more.messages
            done.onTheWire += more.onTheWire
            done.next = more.next
        }
        await progress.end()
        return done
    }
}

/// `fanfare campaign pause`
struct PauseRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop a run until it is resumed.",
        discussion: """
            Its audience is not read on, and what was not posted yet lies still. What is on the wire ends. Messages go on \
            expiring.

            Example: fanfare campaign pause spring --reason "wrong picture"
            """)

    @OptionGroup var run: RunOptions

    @Option(help: "Why, for the others.")
    var reason: String?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.steer(run, .pause(reason: reason), words: "paused", onTheWire: true, json: json)
    }
}

/// `fanfare campaign resume`
struct ResumeRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused run go on.",
        discussion: "Example: fanfare campaign resume spring")

    @OptionGroup var run: RunOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.steer(run, .resume, words: "due again", json: json)
    }
}

/// `fanfare campaign cancel`
struct CancelRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Stop a run for good.",
        discussion: """
            Nothing more of it is sent: what waits is taken back, and the rest of the audience is not read. What is under \
            way ends. Says how many recipients each of it were; the numbers add up to all of them.

            Example: fanfare campaign cancel spring --run 2027-03-01
            """)

    @OptionGroup var run: RunOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            let done = try await campaigns.steer(run, .cancel, words: "taken back")
            guard let stopped = try await campaigns.progress(run.campaign, key: done.key).first else { return }
            try StandardStreams.print(
                json.isOn
                    ? JSONOutput.object(RunScreen.stopped(stopped)).document : RunScreen.text(ofStopped: stopped))
        }
    }
}

/// `fanfare campaign retry`
struct RetryRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send messages of a run again that failed for good.",
        discussion: """
            They are due again, with ten new attempts; a run that was over goes on until they have ended.

            Example: fanfare campaign retry spring --reason target_gone
            """)

    @OptionGroup var run: RunOptions

    @Option(help: "Only those with this reason, as fanfare campaign status shows it.")
    var reason: FailureReason?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.steer(run, .retry(reason: reason?.reason.rawValue), words: "due again", json: json)
    }
}

/// `fanfare campaign doubts`
struct ResolveRun: AsyncParsableCommand {
    /// What a person may decide.
    enum Decision: String, CaseIterable, ExpressibleByArgument {
        case accepted, rejected, resend
    }

    static let configuration = CommandConfiguration(
        commandName: "doubts", abstract: "Decide all messages of a run that are in doubt.",
        discussion: """
            accepted: they arrived after all. rejected: give them up. resend: send them again; a device may get them \
            twice.

            Example: fanfare campaign doubts spring --decide accepted
            """)

    @OptionGroup var run: RunOptions

    @Option(help: "What became of them.")
    var decide: Decision

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.steer(run, .resolve(decision: decide.rawValue), words: "decided", json: json)
    }
}

/// `fanfare campaign rate`
struct SetRunRate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Set how fast a run is sent.",
        discussion: """
            Messages a second over all hubs of the run. Holds at once, also for what was made ahead and no worker has taken. \
            none: as fast as the hubs take them. A hub's own rate holds beneath it.

            Example: fanfare campaign rate spring 500
            """)

    @OptionGroup var run: RunOptions

    @Argument(help: ArgumentHelp("Messages a second, or none.", valueName: "rate"))
    var rate: String

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func validate() throws {
        if rate != "none", Double(rate).map({ $0 > 0 }) != true {
            throw ValidationError("The rate is \"\(rate)\"; it must be a number above 0, or none.")
        }
    }

    func run() async throws {
        try await options.withDatabase { database in
            try await CampaignStore(database: database).setRate(run.campaign, key: run.run, rate: Double(rate))
            let kept: JSONOutput = .object([
                "campaign": .text(run.campaign), "run": .text(run.run), "rate": .decimal(Double(rate)),
            ])
            let words = rate == "none" ? "no rate" : "\(rate) messages a second"
            try StandardStreams.print(json.isOn ? kept.document : "campaign \(run.campaign): \(words)")
        }
    }
}
