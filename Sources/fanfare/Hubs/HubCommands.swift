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
            ListHubs.self, ShowHub.self, AddHub.self, PauseHub.self, ResumeHub.self, OpenGate.self, SetRate.self,
            RotateHub.self, RemoveHub.self,
        ])
}

/// `fanfare hub list`
struct ListHubs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the registered hubs, and whether each takes posts now.",
        discussion: "Example: fanfare hub list --json")

    @OptionGroup var counting: CountingOption

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let hubs = try await SystemStatus.read(from: database, isExact: counting.isExact).hubs
            if json.isOn { return try StandardStreams.print(JSONOutput.list(hubs.map(\.json)).document) }
            var table = TextTable([.text("HUB"), .text("STATE"), .number("DUE"), .number("LATER"), .prose("WHY")])
            for hub in hubs { table.add([hub.hub, hub.state, hub.dueText, hub.laterText, hub.reasons]) }
            try StandardStreams.print(table.isEmpty ? "no hub is registered: fanfare migrate up" : table.onScreen)
        }
    }
}

/// `fanfare hub pause`
struct PauseHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop sending to a hub; its messages wait until it is resumed.",
        discussion: """
            Holds for all workers within a second: each reads it twice a second, and what it sends until then, or has posted
            already, is not called back.

            Example: fanfare hub pause news --reason "new key"
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub)
    var hub: String

    @Option(help: ArgumentHelp("Why, in at most 200 characters: shown wherever the hub is paused.", valueName: "text"))
    var reason: String?

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).pause(hub, because: reason)
            try json.report(
                "hub \(hub): paused; go on with: fanfare hub resume \(hub)",
                ["hub": .text(hub), "state": .text("paused"), "reason": .text(reason)])
        }
    }
}

/// `fanfare hub resume`
struct ResumeHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send to a paused or held hub again, at once.",
        discussion: """
            What the hub refused while it was held is due again, too, urgent messages first.

            Example: fanfare hub resume news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub)
    var hub: String

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).resume(hub)
            try json.report("hub \(hub): open", ["hub": .text(hub), "state": .text("open")])
        }
    }
}

/// `fanfare hub open-gate`
struct OpenGate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-gate", abstract: "Post to a hub now, although it asked everybody to wait.",
        discussion: """
            If the hub still means it, its answer closes the gate again: no message is lost by trying.

            Example: fanfare hub open-gate news
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub)
    var hub: String

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).openGate(hub)
            try json.report("hub \(hub): its gate is open", ["hub": .text(hub), "gate": .text("open")])
        }
    }
}
