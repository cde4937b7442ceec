import ArgumentParser
import CommandLineTool
import PushModel
import Store

extension CampaignStore {
    /// Calls a steering function until it is through, and reports what it did.
    ///
    /// - Parameter words: of the messages that it reached, such as `paused`; also their key as JSON.
    fileprivate func report(
        _ steering: Steering, _ run: RunOptions, words: String, onTheWire: Bool = false
    ) async throws -> Report {
        Report(try await steer(run, steering, words: words), of: run.campaign, words: words, onTheWire: onTheWire)
    }

    /// As `report`, and shows meanwhile how many messages it reached.
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

extension Report {
    init(_ done: CampaignStore.Step, of campaign: String, words: String, onTheWire isCounted: Bool) {
        let wire = done.onTheWire > 0 ? ", \(done.onTheWire) on the wire" : ""
        var members: [String: JSONOutput] = [
            "campaign": .text(campaign), "run": .text(done.key),
            words.replacing(scalars: " ", with: "_"): .number(done.messages),
        ]
        if isCounted { members["on_the_wire"] = .number(done.onTheWire) }
        self.init(
            "campaign \(campaign), run \(done.key.onOneLine): \(HumanFormat.count(done.messages, "message")) \(words)\(wire)",
            .object(members))
    }
}

/// `fanfare campaign pause`
struct PauseRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop a run until it is resumed.",
        discussion: """
            Its audience is not read on, and what was not posted yet lies still. What is on the wire ends. Messages go on \
            expiring.

            Example: fanfare campaign pause spring --reason "wrong picture"
            """)

    @OptionGroup var run: RunOptions
    @Option(help: "Why, for the others.") var reason: String?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(
            .pause(reason: reason), run, words: "paused", onTheWire: true)
    }
}

/// `fanfare campaign resume`
struct ResumeRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Let a paused run go on.",
        discussion: "Example: fanfare campaign resume spring")

    @OptionGroup var run: RunOptions
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(.resume, run, words: "due again")
    }
}

/// `fanfare campaign cancel`
struct CancelRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Stop a run for good.",
        discussion: """
            Nothing more of it is sent: what waits is taken back, and the rest of the audience is not read. What is under \
            way ends. Says how many recipients each of it were; the numbers add up to all of them.

            Example: fanfare campaign cancel spring --run 2027-03-01
            """)

    @OptionGroup var run: RunOptions
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let campaigns = CampaignStore(database: database)
        let done = try await campaigns.steer(run, .cancel, words: "taken back")
        let stopped = try await campaigns.progress(run.campaign, key: done.key)
        return stopped.first.map { Report(RunScreen.text(ofStopped: $0), RunScreen.stopped($0)) } ?? .nothing
    }
}

/// `fanfare campaign retry`
struct RetryRun: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Send messages of a run again that failed for good.",
        discussion: """
            They are due again, with ten new attempts; a run that was over goes on until they have ended.

            Example: fanfare campaign retry spring --reason target_gone
            """)

    @OptionGroup var run: RunOptions
    @Option(help: "Only those with this reason, as fanfare campaign status shows it.") var reason: FailureReason?
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(
            .retry(reason: reason?.reason.rawValue), run, words: "due again")
    }
}

/// `fanfare campaign doubts`
struct ResolveRun: DatabaseCommand {
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
    @Option(help: "What became of them.") var decide: Decision
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).report(.resolve(decision: decide.rawValue), run, words: "decided")
    }
}

/// `fanfare campaign rate`
struct SetRunRate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "rate", abstract: "Set how fast a run is sent.",
        discussion: """
            Messages a second over all hubs of the run. Holds at once, also for what was made ahead and no worker has taken. \
            none: as fast as the hubs take them. A hub's own rate holds beneath it.

            Example: fanfare campaign rate spring 500
            """)

    @OptionGroup var run: RunOptions
    @Argument(help: ArgumentHelp("Messages a second, or none.", valueName: "rate")) var rate: String
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if rate != "none", Double(rate).map({ $0 > 0 }) != true {
            throw ValidationError("The rate is \"\(rate)\"; it must be a number above 0, or none.")
        }
    }

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).setRate(run.campaign, key: run.run, rate: Double(rate))
        return Report(
            "campaign \(run.campaign): \(rate == "none" ? "no rate" : "\(rate) messages a second")",
            ["campaign": .text(run.campaign), "run": .text(run.run), "rate": .decimal(Double(rate))])
    }
}
