import ArgumentParser
import CommandLineTool
import HubEmulator

/// `fanfare-emulator cursor`
struct PrintCursor: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "cursor", abstract: "Print the number of the last send, for wait --since.",
        discussion: """
            Taken before a test sends, it keeps wait from counting what came earlier.

            Example: since=$(fanfare-emulator cursor)
            """)

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try emulator.refuseHub("Sends are numbered over all hubs") }

    func answer(_ client: EmulatorClient) async throws -> Report {
        let number = try await client.read("status", as: EmulatorStatus.self).number
        return Report("\(number)", .number(number))
    }
}
