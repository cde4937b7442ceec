import CommandLineTool
import ArgumentParser

/// `fanfare-emulator clear`
struct Clear: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Empty inboxes of a running emulator.",
        discussion: """
            The inbox of one device, or every inbox. With --journal the journal and the counts too. Devices stay.

            Example: fanfare-emulator clear alice
            """)

    @Argument(help: "Id of one device. Default: all.") var device: String?
    @Flag(help: "Forget journal and counts as well.") var journal = false
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if device != nil, journal { throw ValidationError("--journal is for all devices: leave the id out.") }
        if device == nil, emulator.hub != nil { throw ValidationError("--hub goes with the id of a device.") }
    }

    func change(_ client: EmulatorClient) async throws -> Report? {
        if let device {
            let path = "devices/\(EmulatorClient.encoded(device))/inbox"
            _ = try await client.ask(.delete, path + emulator.query())
        } else {
            _ = try await client.ask(.delete, journal ? "journal" : "inbox")
        }
        return nil
    }
}
