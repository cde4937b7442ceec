import CommandLineTool
import ArgumentParser
import Providers

/// What every `fanfare installation` command takes.
struct InstallationOptions: ParsableArguments {
    @Option(help: "The hub's name in the settings.", completion: .hub) var hub: String

    /// Lends the hub, for `atOnce` requests in flight.
    func withHub<T>(
        _ options: CommandOptions, atOnce: Int = 1, _ body: (HubConnection) async throws -> T
    ) async throws -> T {
        try await HubClient(hub, of: try options.settings()).withConnection(atOnce: atOnce, body)
    }

    /// Runs `body`; an installation that cannot be sent becomes a failure.
    static func saying<T>(_ doing: String, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as InvalidInstallation {
            throw Failure(doing, because: "\(error)", status: .badInput)
        }
    }
}

/// Requests at once, for the commands that make many.
struct AtOnceOption: ParsableArguments {
    @Option(help: ArgumentHelp("Requests at once, 1 to 256.", valueName: "count")) var atOnce = 16

    func validate() throws { try require("--at-once", atOnce, in: 1...256) }
}
