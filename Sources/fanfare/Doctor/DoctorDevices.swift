import CommandLineTool
import PushModel
import Store

/// Whether changes of devices wait at a hub for too long, and why; and whether some were refused. Only warns: messages are
/// sent all the same. Pure.
enum DoctorDevices {
    /// - Parameters:
    ///   - longestWait: seconds a change may be due.
    /// - Returns: nothing where no change waits and none was refused in the last day.
    static func findings(_ hub: SystemStatus.Hub, longestWait: Double) -> [Finding] {
        guard let devices = hub.devices else { return [] }
        return [waiting(devices, hub, longestWait), refused(devices, hub)].compactMap(\.self)
    }

    private static func waiting(
        _ devices: SystemStatus.Devices, _ hub: SystemStatus.Hub, _ longestWait: Double
    ) -> Finding? {
        let (area, name) = ("hub \(hub.hub)", "devices")
        guard devices.pending > 0 else { return nil }
        if let since = hub.unservedSince {
            return .warn(
                area, name, "\(devices.waitingWords); no worker serves the hub since \(since)",
                remedy: "Start a worker that has the hub in its settings, or refuse the changes: "
                    + "SELECT push.cancel_devices('\(hub.hub)')")
        }
        if let reason = devices.reason {
            return .warn(
                area, name, "\(devices.waitingWords); \(devices.state): \(reason)",
                remedy: devices.state == "paused"
                    ? "To apply them: fanfare hub resume \(hub.hub)"
                    : "They are tried again by themselves; at once with: fanfare hub resume \(hub.hub)")
        }
        guard let waiting = devices.waiting, waiting > longestWait else {
            return .ok(area, name, devices.waitingWords)
        }
        return .warn(
            area, name, "\(devices.waitingWords), more than \(HumanFormat.duration(longestWait))",
            remedy:
                "If it is a long backlog, hubs.\(hub.hub).deviceWindow sets how many go at a time. Otherwise see the "
                + "log of its workers.")
    }

    private static func refused(_ devices: SystemStatus.Devices, _ hub: SystemStatus.Hub) -> Finding? {
        devices.refusedWords.map {
            .warn(
                "hub \(hub.hub)", "refused devices", $0,
                remedy: "See which and why: fanfare device list --hub \(hub.hub) --status refused --since 24h")
        }
    }
}
