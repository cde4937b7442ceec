import ArgumentParser

/// `fanfare hub`: the hubs of the database.
struct HubCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hub", abstract: "Look at hubs, add, pause and resume them, change their key, rate and gate.",
        discussion: "Example: fanfare hub pause news",
        subcommands: [
            ListHubs.self, ShowHub.self, AddHub.self, PauseHub.self, ResumeHub.self, OpenGate.self, SetRate.self,
            RotateHub.self,
        ])
}
