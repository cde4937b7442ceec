import ArgumentParser

/// `fanfare hub`: the hubs of the database.
struct HubCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub", abstract: "List, pause and resume hubs.", discussion: "Example: fanfare hub pause news",
        subcommands: [ListHubs.self, PauseHub.self, ResumeHub.self])
}
