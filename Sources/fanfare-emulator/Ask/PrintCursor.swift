import ArgumentParser
import CommandLineTool
import HubEmulator

/// `fanfare-emulator cursor`
struct PrintCursor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cursor", abstract: "Print the number of the last send, for wait --since.",
        discussion: """
            Taken before a test sends, it keeps wait from counting what came earlier.

            Example: since=$(fanfare-emulator cursor)
            """)

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws { try emulator.refuseHub("Sends are numbered over all hubs") }

    func run() async throws {
        let status = try await EmulatorClient.open(emulator, options) { client in
            try await client.read("status", as: EmulatorStatus.self)
        }
        try StandardStreams.print("\(status.number)")
    }
}
