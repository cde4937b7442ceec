import ArgumentParser
import Store

/// `fanfare hub open-gate`
struct OpenGate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open-gate", abstract: "Post to a hub now, although it asked everybody to wait.",
        discussion: """
            If the hub still means it, its answer closes the gate again: no message is lost by trying.

            Example: fanfare hub open-gate news
            """)

    @Argument(help: "The hub's name in the settings.")
    var hub: String

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).openGate(hub)
            try StandardStreams.print("hub \(hub): its gate is open")
        }
    }
}
