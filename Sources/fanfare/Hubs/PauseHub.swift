import ArgumentParser
import Store

/// `fanfare hub pause`
struct PauseHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop sending to a hub; its messages wait until it is resumed.",
        discussion: """
            Holds for all workers. What was posted already is not called back.

            Example: fanfare hub pause news
            """)

    @Argument(help: "The hub's name in the settings.")
    var hub: String

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).pause(hub)
            try StandardStreams.print("hub \(hub): paused; go on with: fanfare hub resume \(hub)")
        }
    }
}
