import CommandLineTool
import PushModel
import Store

/// Which changes of devices wait, and which were refused, as text for people.
extension SystemStatus {
    /// A line for each hub at which changes wait or were refused in the last day; nil: no such hub.
    ///
    /// - Parameter widest: as in `TextTable`.
    func deviceTable(widest: Int = 60) -> TextTable? {
        var table = TextTable(
            [
                .text("DEVICES AT"), .text("STATE"), .number("DUE"), .number("LATER"), .number("WAITING"),
                .number("REFUSED"), .prose("WHY"),
            ], widest: widest)
        for hub in hubs {
            guard let devices = hub.devices else { continue }
            table.add([
                hub.hub, devices.state, "\(devices.due)", "\(devices.later)",
                devices.waiting.map(HumanFormat.duration) ?? "-", "\(devices.refused)", devices.reason,
            ])
        }
        return table.isEmpty ? nil : table
    }
}

extension SystemStatus.Devices {
    /// Changes without a final result.
    var pending: Int64 { due + later }

    /// `12 changes due, 3 later, the oldest due for 4 min`
    var waitingWords: String {
        let oldest = waiting.map { ", the oldest due for \(HumanFormat.duration($0))" } ?? ""
        return "\(HumanFormat.count(due, "change")) due, \(later) later\(oldest)"
    }

    /// Why no change is applied, and until when; nil: changes are applied.
    var reason: String? {
        guard state != "open" else { return nil }
        return (why ?? state) + (until.map { " (until \($0))" } ?? "")
    }

    /// `3 changes in the last day`; nil: none.
    var refusedWords: String? {
        refused > 0 ? "\(HumanFormat.count(refused, "change")) of devices in the last day" : nil
    }

    /// With the names of the columns of push.device_backlog.
    var json: JSONOutput {
        .object([
            "state": .text(state), "why": .text(why), "until": .text(until), "due": .number(due),
            "later": .number(later), "waiting": .decimal(waiting), "refused": .number(refused),
        ])
    }
}
