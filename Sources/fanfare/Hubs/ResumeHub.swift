import ArgumentParser
import Store

/// `fanfare hub resume`
struct ResumeHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Send to a paused or held hub again, at once.",
        discussion: "Example: fanfare hub resume news")

    @Argument(help: "The hub's name in the settings.")
    var hub: String

    @OptionGroup var options: CommandOptions

    func run() async throws {
        try await options.withDatabase { database in
            try await Hubs(database: database).resume(hub)
            try StandardStreams.print("hub \(hub): open")
        }
    }
}
