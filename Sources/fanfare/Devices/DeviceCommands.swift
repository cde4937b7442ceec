import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare device`: what backends asked for with push.put_device, push.patch_device and push.drop_device.
struct DeviceCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Look at devices that backends register by SQL, and what became of each change.",
        discussion: """
            To speak to the hub at once, without the database: fanfare installation.

            Example: fanfare device list --hub news --status refused
            """,
        subcommands: [ListDevices.self, ShowDevice.self, WaitForDevice.self])
}

/// What a change of a device may be: the words of push.device_status.
enum ChangeStatus: String, CaseIterable, ExpressibleByArgument {
    case waiting, applying, retrying, applied, superseded, refused
}

/// `fanfare device list`
struct ListDevices: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List changes of devices, the newest first.",
        discussion: """
            Times are ages (90m, 24h, 7d) or dates (2026-11-23 or "2026-11-23 07:00 Europe/Paris"), and mean when the \
            backend made the call. The last line says how far back it looked, and how to look further; with --json it \
            goes to standard error. Needs a login with push_monitor.

            Example: fanfare device list --hub news --status refused --since 2d
            """)

    @Option(help: "Only changes at this hub.", completion: .hub) var hub: String?
    @Option(help: "Only changes with this status.") var status: ChangeStatus?
    @Option(help: ArgumentHelp("Only changes of this device.", valueName: "id")) var device: String?
    @Option(help: "Only changes asked for then or later.") var since = SearchTime(argument: "7d")
    @Option(help: ArgumentHelp("Only changes with a lower id: the next page.", valueName: "id")) var before: Int64?
    @Option(help: "Changes at most, 1 to 10000.") var limit: Int32 = 50
    @OptionGroup var options: ReportOptions

    func validate() throws { try require("--limit", limit, in: 1...10_000) }

    func answer(_ database: Database) async throws -> Report {
        var filter = DeviceSearch.Filter(limit: limit)
        (filter.hub, filter.device, filter.status) = (hub, device, status?.rawValue)
        (filter.since, filter.before) = (since.time, before)
        let changes = try await DeviceSearch(database: database).find(filter)
        let since = try await Messages(database: database).time(since.time)
        return Report(
            changes, ofOneHub: hub != nil, footer: Self.footer(changes.map(\.id), limit, since))
    }

    /// How far back it looked, and how to look further. Pure.
    static func footer(_ ids: [Int64], _ limit: Int32, _ since: String) -> String {
        if ids.count == Int(limit), let last = ids.last {
            return "the newest \(limit) of those asked for since \(since); go on with --before \(last)"
        }
        let found = ids.isEmpty ? "no such change" : "no other such change"
        return "\(found) was asked for since \(since); look further back with --since 30d"
    }
}

extension Report {
    /// - Parameter isOfOneHub: then it is left out, so that an id of 36 characters has room on 80 columns.
    init(_ changes: [DeviceSearch.Change], ofOneHub isOfOneHub: Bool, footer: String) {
        let columns: [TextTable.Column] =
            [.number("ID"), .id("DEVICE")] + (isOfOneHub ? [] : [.text("HUB")])
            + [.text("ACTION"), .text("STATUS"), .number("SINCE"), .prose("NOTE")]
        self.init(changes, columns, footer: footer) { change in
            ["\(change.id)", change.device] + (isOfOneHub ? [] : [change.hub])
                + [change.action, change.status, HumanFormat.duration(change.age), change.note ?? change.error]
        } json: {
            .object($0.members)
        }
    }
}

extension DeviceSearch.Change {
    /// With the names of the columns of push.device_status.
    var members: [String: JSONOutput] {
        [
            "id": .number(id), "hub": .text(hub), "device": .text(device), "action": .text(action),
            "status": .text(status), "at": .text(at), "since": .text(since), "next_try": .text(nextTry),
            "http": .number(http), "tracking_id": .text(trackingID), "error": .text(error), "note": .text(note),
            "worker": .text(worker), "changed_by": .text(changedBy),
        ]
    }
}
