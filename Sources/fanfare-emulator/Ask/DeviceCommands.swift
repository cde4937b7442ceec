import ArgumentParser
import CommandLineTool
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
struct ListDevices: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print devices, the one with the newest notification first.",
        discussion: "Example: fanfare-emulator device list --tag World")

    @Option(help: ArgumentHelp("Only devices with this tag.", valueName: "tag")) var tag: String?

    @Option(help: ArgumentHelp("Only by a part of the id, a user, a tag, or a late notification.", valueName: "text"))
    var text: String?

    @Option(help: ArgumentHelp("How many, 1 to 1000.", valueName: "number")) var limit = 100
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    private struct Page: Decodable {
        let phones: [DeviceSummary]
        let total: Int
    }

    func validate() throws { try require("--limit", limit, in: 1...1_000) }

    func answer(_ client: EmulatorClient) async throws -> Report {
        let filter = [("tag", tag), ("text", text), ("limit", "\(limit)")]
        let answer = try await client.ask(.get, "phones" + emulator.query(filter))
        let page = try EmulatorClient.decode(answer, as: Page.self)
        var report = Report(
            page.phones,
            [.text("hub"), .text("device"), .text("platform"), .text("language"), .number("inbox"), .prose("tags")],
            none: "no devices", written: answer.json
        ) { phone in
            [
                phone.hub, phone.id, phone.isHandle ? "(handle)" : phone.platform?.rawValue, phone.language,
                "\(phone.count)", (phone.topics + phone.tags).joined(separator: " "),
            ]
        }
        if page.total > page.phones.count {
            report.remarks.text = "\(page.phones.count) of \(page.total): --limit, --tag"
        }
        return report
    }
}

/// `fanfare-emulator device remove`
struct RemoveDevice: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove devices; their inboxes stay.",
        discussion: "Example: fanfare-emulator device remove alice")

    @Argument(help: "Ids of devices.") var ids: [String]
    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func change(_ client: EmulatorClient) async throws -> Report? {
        for id in ids {
            _ = try await client.ask(.delete, "devices/\(EmulatorClient.encoded(id))" + emulator.query())
        }
        return nil
    }
}
