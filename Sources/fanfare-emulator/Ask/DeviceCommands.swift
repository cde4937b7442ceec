import ArgumentParser
import CommandLineTool
import Configuration
import Foundation
import HubEmulator

/// `fanfare-emulator device`: devices put in by hand.
struct DeviceCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Add, list and remove devices of a running emulator.",
        discussion: "Example: fanfare-emulator device add alice --tag World --shows message",
        subcommands: [AddDevice.self, ListDevices.self, RemoveDevice.self])
}

/// `fanfare-emulator device list`
struct ListDevices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print devices, the one with the newest notification first.",
        discussion: "Example: fanfare-emulator device list --tag World")

    @Option(help: ArgumentHelp("Only devices with this tag.", valueName: "tag")) var tag: String?

    @Option(help: ArgumentHelp("Only by a part of the id, a user, a tag, or a late notification.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "number")) var limit = 100
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    private struct Page: Decodable {
        let phones: [DeviceSummary]
        let total: Int
    }

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit is 1 to 1000.") }
    }

    func run() async throws {
        let answer = try await EmulatorClient.open(emulator, options) { client in
            try await client.ask(
                .get, "phones" + emulator.query([("tag", tag), ("text", text), ("limit", "\(limit)")]))
        }
        if json.isOn { return try StandardStreams.print(answer.text) }
        let page = try EmulatorClient.decode(answer, as: Page.self)
        var table = TextTable([
            .text("hub"), .text("device"), .text("platform"), .text("language"), .number("inbox"), .prose("tags"),
        ])
        for phone in page.phones {
            table.add([
                phone.hub, phone.id, phone.isHandle ? "(handle)" : phone.platform?.rawValue, phone.language,
                "\(phone.count)", phone.tags.joined(separator: " "),
            ])
        }
        try StandardStreams.print(table.isEmpty ? "no devices" : table.onScreen)
        if page.total > page.phones.count {
            StandardStreams.printError("\(page.phones.count) of \(page.total): --limit, --tag")
        }
    }
}

/// `fanfare-emulator device remove`
struct RemoveDevice: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove devices; their inboxes stay.",
        discussion: "Example: fanfare-emulator device remove alice")

    @Argument(help: "Ids of devices.") var ids: [String]
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions

    func run() async throws {
        try await EmulatorClient.change(emulator, options) { client in
            for id in ids {
                _ = try await client.ask(.delete, "devices/\(EmulatorClient.encoded(id))" + emulator.query())
            }
        }
    }
}
