import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare campaign run`
struct RunCampaign: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Start a campaign once for a key.",
        discussion: """
            Called again with the same key it joins that run and says "started": false: cron may fire twice. With --hub \
            it keeps the campaign, too, as the options say: no file is needed. With --wait it exits 0 when all \
            messages were accepted, 1 when some failed or are in doubt, 75 at --max-runtime or when the run was paused.

            Example: fanfare campaign run spring --key 2027-03-01 --wait --progress
            """)

    @Argument(help: "Name of the campaign.") var campaign: String
    @Option(help: "What this run is called, such as the date. Used once.") var key: String

    @Option(help: "Keep the campaign first: to this hub. The next options say the rest.", completion: .hub)
    var hub: String?

    @Option(name: .customLong("tag"), help: "With --hub: a tag that gets it. Repeatable.") var tags: [String] = []

    @Option(
        name: .customLong("content"),
        help: ArgumentHelp(
            """
            With --hub: the content in a language, as en=JSON, en=@FILE, or a file named for it, such as digest/en.json. \
            JSON alone: one content without a language. Repeatable.
            """,
            valueName: "content"))
    var contents: [String] = []

    @Option(help: ArgumentHelp("With --hub: send it over this time, such as 30m.", valueName: "time"))
    var spread: DurationArgument?

    @Flag(help: "Reach suppressed recipients, too: a warning of fraud, a recall. push.audit has who asked for it.")
    var bypassSuppression = false

    @Flag(help: "Wait until the run is over.") var wait = false
    @Flag(help: "With --wait: show how far it is, on standard error.") var progress = false

    @Option(help: ArgumentHelp("With --wait: at most so long, such as 2h.", valueName: "time"))
    var maxRuntime: DurationArgument?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if hub == nil, !tags.isEmpty || !contents.isEmpty || spread != nil {
            throw ValidationError(
                "--tag, --content and --spread go with --hub. Without it the campaign is run as it was created.")
        }
        if hub != nil, tags.isEmpty || contents.isEmpty {
            throw ValidationError("With --hub, give --tag and --content, too.")
        }
        if !wait, progress || maxRuntime != nil {
            throw ValidationError("--progress and --max-runtime go with --wait.")
        }
    }

    func report() async throws -> Report {
        let spec = try spec()
        return try await options.common.withDatabase { database in
            let campaigns = CampaignStore(database: database)
            if let spec { try await keep(spec, campaigns) }
            let started = try await campaigns.start(campaign, key: key, bypassingSuppression: bypassSuppression)
            let waiting = RunWait(
                campaigns: campaigns, campaign: campaign, key: key, most: maxRuntime?.seconds,
                meter: progress ? ProgressLine() : nil)
            let (run, isLate) = wait ? try await waiting.untilOver() : (try await waiting.look(), false)
            return Report(run, started: started, status: wait ? RunWait.status(of: run, isLate: isLate) : .ok)
        }
    }

    /// The spec that the options make; nil: the campaign is run as it was created.
    private func spec() throws -> String? {
        guard let hub else { return nil }
        var content: [String] = []
        for given in contents {
            let (locale, text) = try Self.content(given)
            content.append("\(JSONOutput.text(locale).line): \(text)")
        }
        let tagList = JSONOutput.list(tags.map { .text($0) }).line
        let spreading = spread.map { ", \"spread\": \"\($0.seconds) s\"" } ?? ""
        return """
            {"hubs": [\(JSONOutput.text(hub).line)], "audience": {"tags": \(tagList)}, \
            "content": {\(content.joined(separator: ", "))}\(spreading)}
            """
    }

    /// The locale of one --content, and its JSON.
    private static func content(_ given: String) throws -> (locale: String, text: String) {
        if given.hasPrefix("{") {
            try InputFile.checkJSON(given, of: "--content")
            return ("", given)
        }
        if let pair = KeyValue(argument: given) {
            if pair.value.hasPrefix("@") { return (pair.key, try InputFile.json(of: String(pair.value.dropFirst()))) }
            try InputFile.checkJSON(pair.value, of: "--content \(pair.key)")
            return (pair.key, pair.value)
        }
        let name = given.split(separator: "/").last ?? ""
        return (String(name.prefix { $0 != "." }), try InputFile.json(of: given))
    }

    /// - Throws: `Failure` when a run would send another revision than this one.
    private func keep(_ spec: String, _ campaigns: CampaignStore) async throws {
        let kept = try await campaigns.create(campaign, spec: spec, draft: false)
        guard let why = try await campaigns.unapproved(campaign) else { return }
        throw Failure(
            "cannot run campaign \(campaign.quoted)", because: why,
            hint: "Have it approved: fanfare campaign approve \(campaign) --revision \(kept.revision)",
            status: .badInput)
    }
}

extension Report {
    /// - Parameter started: by this call; false: the key was used before.
    init(_ run: RunProgress, started: Bool, status: ExitStatus) {
        let begun = started ? "started" : "joined: that key was used before"
        self.init(
            "campaign \(run.campaign), run \(run.key): \(begun)\n\(RunScreen.text(of: run))",
            run.members.merging(["started": .flag(started)]) { $1 }, status: status)
    }
}
