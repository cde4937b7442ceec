import CommandLineTool
import Foundation
import HubEmulator

/// A command that asks a running emulator, and reports what it answers.
protocol EmulatorCommand: ReportingCommand {
    var emulator: EmulatorOptions { get }

    func answer(_ client: EmulatorClient) async throws -> Report
}

extension EmulatorCommand {
    func report() async throws -> Report {
        try await EmulatorClient.open(emulator, options.common) { try await answer($0) }
    }
}

/// A command that changes a running emulator. It says at the end which one it changed, and that its clock is ahead: several
/// may run on one machine.
protocol EmulatorChange: EmulatorCommand {
    /// - Returns: what the emulator answered; nil: nothing worth a line. Then only `--json` prints, the emulator's status.
    func change(_ client: EmulatorClient) async throws -> Report?
}

extension EmulatorChange {
    func answer(_ client: EmulatorClient) async throws -> Report {
        // Asked first, too, so that nothing is changed at what is not an emulator.
        _ = try await client.read("status", as: EmulatorStatus.self)
        let changed = try await change(client)
        let answer = try await client.ask(.get, "status")
        let status = try EmulatorClient.decode(answer, as: EmulatorStatus.self)
        let note = ChangeNote(address: client.address, status, now: Date().timeIntervalSince1970).text
        var report = changed ?? Report("", answer.json)
        report.remarks = (note, note)
        return report
    }
}
