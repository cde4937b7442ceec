import ArgumentParser
import CommandLineTool
import PushModel
import Store

/// `fanfare device wait`
struct WaitForDevice: DatabaseCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until everything that backends asked for a device has ended.",
        discussion: """
            Looks ten times a second. Exits 0 when the hub took what was asked, 1 when a change was refused, 75 when some \
            still wait after --at-most, 65 when no backend has changed the device. A hub queues changes itself: a message \
            may reach the device some seconds later. In SQL, a message waits by after_device. Needs a login with \
            push_monitor or push_register.

            Example: fanfare device wait phone-17 --hub news --at-most 30s
            """)

    @Argument(help: "The device: the id of its installation.") var device: String

    @Option(help: "At this hub. Default: every hub at which a backend has changed it.", completion: .hub)
    var hub: String?

    @Option(help: ArgumentHelp("Stop waiting after this time: 90 (seconds), 10m. Default: 60s.", valueName: "time"))
    var atMost: DurationArgument?

    @OptionGroup var options: ReportOptions

    func answer(_ database: Database) async throws -> Report {
        let search = DeviceSearch(database: database)
        let end = ContinuousClock.now + .seconds(atMost?.seconds ?? 60)
        var wait = DeviceWait(try await search.changes(of: device, at: hub, limit: DeviceWait.most))
        guard !wait.changes.isEmpty else {
            throw Failure(
                "cannot wait for device \"\(device)\"",
                because: "no backend has changed it" + (hub.map { " at hub \"\($0)\"" } ?? "")
                    + ", or purge has taken that",
                hint: "fanfare device list --since 30d", status: .badInput)
        }
        while wait.isOpen, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
            wait.look(try await search.changes(of: device, at: hub, limit: DeviceWait.most))
        }
        return wait.report(of: device)
    }
}

/// The changes that a wait is for: those without a final result when it began and since, and the newest at each hub. Pure.
struct DeviceWait {
    /// Changes to look at for each hub; a worker takes 100 of a device at once.
    static let most: Int32 = 1000

    /// By hub, the newest first.
    private(set) var changes: [DeviceSearch.Change] = []
    private var awaited: Set<Int64> = []

    /// - Parameter found: of the device, by hub, the newest first.
    init(_ found: [DeviceSearch.Change]) {
        look(found)
    }

    /// Takes what a later look found.
    mutating func look(_ found: [DeviceSearch.Change]) {
        let newest = Dictionary(found.map { ($0.hub, $0.id) }) { first, _ in first }
        awaited.formUnion(found.filter { !$0.isFinal || newest[$0.hub] == $0.id }.map(\.id))
        changes = found.filter { awaited.contains($0.id) }
    }

    /// Whether something still waits.
    var isOpen: Bool { changes.contains { !$0.isFinal } }

    var status: ExitStatus {
        if isOpen { return .tryLater }
        return changes.contains { $0.status == "refused" } ? .someFailed : .ok
    }

    /// A line for each change, the oldest first: `put at hub news: applied`.
    func report(of device: String) -> Report {
        let lines = changes.reversed().map { change in
            let why = (change.note ?? change.error).map { ", \($0.onOneLine)" } ?? ""
            return "\(change.action) at hub \(change.hub): \(change.status)\(why)"
        }
        return Report(
            lines.joined(separator: "\n"),
            [
                "device": .text(device), "done": .flag(!isOpen),
                "changes": .list(changes.reversed().map { .object($0.members) }),
            ], status: status)
    }
}

extension DeviceSearch.Change {
    fileprivate var isFinal: Bool { !["waiting", "applying", "retrying"].contains(status) }
}
