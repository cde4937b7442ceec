import CommandLineTool
import ArgumentParser

/// `fanfare-emulator clear`
struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Empty inboxes of a running emulator.",
        discussion: """
            The inbox of one device, or every inbox. With --journal the journal and the counts too. Devices stay.

            Example: fanfare-emulator clear alice
            """)

    @Argument(help: "Id of one device. Default: all.") var device: String?
    @Flag(help: "Forget journal and counts as well.") var journal = false
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func validate() throws {
        if device != nil, journal { throw ValidationError("--journal is for all devices: leave the id out.") }
        if device == nil, emulator.hub != nil { throw ValidationError("--hub goes with the id of a device.") }
    }

    func run() async throws {
        try await EmulatorClient.change(emulator, options) { client in
            if let device {
                let path = "devices/\(EmulatorClient.encoded(device))/inbox"
                _ = try await client.ask(.delete, path + emulator.query())
            } else {
                _ = try await client.ask(.delete, journal ? "journal" : "inbox")
            }
        }
    }
}
