import CommandLineTool
import HubEmulator
import PushModel

/// What a command that changed an emulator says about it.
struct ChangeNote {
    let text: String

    /// - Parameters:
    ///   - status: after the change.
    ///   - now: seconds since 1970.
    init(address: String, _ status: EmulatorStatus, now: Double) {
        let since = HumanFormat.time(secondsSince1970: status.startedAt)
        let age = HumanFormat.duration(now - status.startedAt)
        var lines = ["changed the emulator at \(address), which runs since \(since) (\(age))"]
        if status.advancedSeconds > 0 {
            lines.append(
                "its clock is \(HumanFormat.duration(status.advancedSeconds)) ahead; to put it back: "
                    + "fanfare-emulator clock reset")
        }
        text = lines.joined(separator: "\n")
    }
}
