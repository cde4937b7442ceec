import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare hub remove`
struct RemoveHub: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a hub: nothing can be enqueued for it from then on.",
        discussion: """
            First take the hub out of the settings of all workers and reload them: a hub that is served is not removed. \
            Neither is one with pending messages or changes of devices, unless --cancel cancels them. What was sent to it \
            stays, until purge takes it. Settings that have the hub again register it again.

            Example: fanfare hub remove sport --cancel
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub) var hub: String
    @Flag(help: "Cancel its pending messages, and refuse waiting changes of devices, first.") var cancel = false
    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let hubs = Hubs(database: database)
        var (cancelled, refused): (Int64?, Int64) = (nil, 0)
        if cancel {
            cancelled = try await Batches.count("cancelled") { mark in
                let done = try await Messages(database: database).cancel(hub: hub, after: mark)
                return (done.cancelled, done.next)
            }
            refused = try await hubs.cancelDevices(of: hub)
        }
        try await hubs.remove(hub)
        return report(cancelled: cancelled, refused: refused)
    }

    /// - Parameter cancelled: messages; nil: nobody asked for it.
    func report(cancelled: Int64?, refused: Int64) -> Report {
        let lines = [
            cancelled.map { "\(HumanFormat.count($0, "message")) cancelled" },
            refused > 0 ? "\(HumanFormat.count(refused, "change")) of devices refused" : nil, "removed",
        ]
        return Report(
            lines.compactMap(\.self).map { "hub \(hub): \($0)" }.joined(separator: "\n"),
            [
                "hub": .text(hub), "removed": .flag(true), "cancelled": .number(cancelled ?? 0),
                "devices_refused": .number(refused),
            ])
    }
}
