import ArgumentParser
import CommandLineTool
import PushModel
import Store

extension CampaignStore {
    /// Calls a steering function until it is finished, and reports what it did.
    ///
    /// - Parameter words: of the messages that it reached, such as `paused`; also their key as JSON.
    func report(
        _ steering: Steering, of campaign: String, run: String?, words: String, onTheWire: Bool = false
    ) async throws -> Report {
        let done = try await steer(campaign, run, steering, words: words)
        return Report(done, of: campaign, words: words, onTheWire: onTheWire)
    }

    /// As `report`, and shows meanwhile how many messages it reached.
    fileprivate func steer(
        _ campaign: String, _ run: String?, _ steering: Steering, words: String
    ) async throws -> Step {
        let progress = ProgressLine()
        var done = try await steer(campaign, key: run, steering, after: nil)
        while let next = done.next {
            await progress.show("\(done.messages) \(words)")
            let more = try await steer(campaign, key: done.key, steering, after: next)
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
            .pause(reason: reason), of: run.campaign, run: run.run, words: "paused", onTheWire: true)
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
        try await CampaignStore(database: database).report(
            .resume, of: run.campaign, run: run.run, words: "due again")
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
        let done = try await campaigns.steer(run.campaign, run.run, .cancel, words: "taken back")
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
            .retry(reason: reason?.reason.rawValue), of: run.campaign, run: run.run, words: "due again")
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
    @Argument(help: "Messages a second, or none for no limit.") var rate: RateArgument
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if rate.isDefault { throw ValidationError("A run has no rate by default: give a number above 0, or none.") }
    }

    func answer(_ database: Database) async throws -> Report {
        try await CampaignStore(database: database).setRate(run.campaign, key: run.run, rate: rate.perSecond)
        return Report(
            "campaign \(run.campaign): \(rate.perSecond == nil ? "no rate" : "\(rate.text) messages a second")",
            ["campaign": .text(run.campaign), "run": .text(run.run), "rate": .decimal(rate.perSecond)])
    }
}
