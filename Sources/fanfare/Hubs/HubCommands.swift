import ArgumentParser
import CommandLineTool
import Store

/// `fanfare hub`: the hubs of the database.
struct HubCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub",
        abstract: "Look at hubs, add, remove, pause or resume them, set key, rate and gate.",
        discussion: "Example: fanfare hub pause news",
        subcommands: [
            ListHubs.self, ShowHub.self, AddHub.self, PauseHub.self, ResumeHub.self, OpenGate.self, SetHubRate.self,
            RotateHub.self, RemoveHub.self,
        ])
}

/// `fanfare hub list`
struct ListHubs: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the registered hubs, and whether each takes posts now.",
        discussion: "Example: fanfare hub list --json")

    @OptionGroup var counting: CountingOption
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        Report(hubs: try await SystemStatus.read(from: database, isExact: counting.isExact).hubs)
    }
}

extension Report {
    init(hubs: [SystemStatus.Hub]) {
        self.init(
            hubs, [.text("HUB"), .text("KIND"), .text("STATE"), .number("DUE"), .number("LATER"), .prose("WHY")],
            none: "no hub is registered: fanfare migrate up"
        ) {
            [$0.hub, $0.kind, $0.state, $0.dueText, $0.laterText, $0.reasons]
        } json: {
            $0.json
        }
    }
}

/// `fanfare hub pause`
struct PauseHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop sending to a hub; its messages wait until it is resumed.",
        discussion: """
            Holds for all workers within a second: each reads it twice a second, and what it sends until then, or has posted
            already, is not called back.

            Example: fanfare hub pause news --reason "new key"
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String

    @Option(help: ArgumentHelp("Why, in at most 200 characters: shown wherever the hub is paused.", valueName: "text"))
    var reason: String?

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await Hubs(database: database).pause(hub, because: reason)
        return Report(
            "hub \(hub): paused; go on with: fanfare hub resume \(hub)",
            ["hub": .text(hub), "state": .text("paused"), "reason": .text(reason)])
    }
}

/// `fanfare hub resume`
struct ResumeHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send to a paused or held hub again, at once.",
        discussion: """
            What the hub refused while it was held is due again, too, urgent messages first.

            Example: fanfare hub resume news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await Hubs(database: database).resume(hub)
        return Report("hub \(hub): open", ["hub": .text(hub), "state": .text("open")])
    }
}

/// `fanfare hub open-gate`
struct OpenGate: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-gate", abstract: "Post to a hub now, although it asked everybody to wait.",
        discussion: """
            If the hub still means it, its answer closes the gate again: no message is lost by trying.

            Example: fanfare hub open-gate news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        try await Hubs(database: database).openGate(hub)
        return Report("hub \(hub): its gate is open", ["hub": .text(hub), "gate": .text("open")])
    }
}
