import ArgumentParser
import CommandLineTool
import Store

/// `fanfare hub remove`
struct RemoveHub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a hub: nothing can be enqueued for it from then on.",
        discussion: """
            First take the hub out of the settings of all workers and reload them: a hub that is served is not removed. \
            Neither is one with pending messages or changes of devices, unless --cancel cancels them. What was sent to it \
            stays, until purge takes it. Settings that have the hub again register it again.

            Example: fanfare hub remove sport --cancel
            """)

    @Argument(help: "The hub's name in the settings.", completion: .hub)
    var hub: String

    @Flag(help: "Cancel its pending messages, and refuse waiting changes of devices, first.")
    var cancel = false

    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        try await options.withDatabase { database in
            let hubs = Hubs(database: database)
            var lines: [String] = []
            var cancelled: Int64 = 0
            var refused: Int64 = 0
            if cancel {
                let progress = ProgressLine()
                var after: String?
                repeat {
                    let done = try await Messages(database: database).cancel(hub: hub, after: after)
                    cancelled += done.cancelled
                    after = done.next
                    if after != nil { await progress.show("\(cancelled) cancelled") }
                } while after != nil
                await progress.end()
                lines.append("hub \(hub): \(HumanFormat.count(cancelled, "message")) cancelled")
                refused = try await hubs.cancelDevices(of: hub)
                if refused > 0 {
                    lines.append("hub \(hub): \(HumanFormat.count(refused, "change")) of devices refused")
                }
            }
            try await hubs.remove(hub)
            try json.report(
                (lines + ["hub \(hub): removed"]).joined(separator: "\n"),
                [
                    "hub": .text(hub), "removed": .flag(true), "cancelled": .number(cancelled),
                    "devices_refused": .number(refused),
                ])
        }
    }
}
