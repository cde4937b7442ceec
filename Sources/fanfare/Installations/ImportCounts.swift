import CommandLineTool
import Providers
import PushModel

/// What became of the lines of one import.
final class ImportCounts {
    struct Refused {
        let line: Int
        let id: String?
        let why: String
    }

    let progress = InstallationProgress("put")
    private(set) var refused: [Refused] = []
    var put = 0
    private let file: String
    private let isDryRun: Bool

    init(file: String, isDryRun: Bool) {
        self.file = file
        self.isDryRun = isDryRun
    }

    func refuse(_ line: Int, _ id: String?, _ why: String) {
        refused.append(Refused(line: line, id: id, why: why))
        let name = id.map { ", installation \"\($0)\"" } ?? ""
        progress.printError("fanfare: \(InputFile.name(file)), line \(line)\(name): \(why)".onOneLine)
    }

    var text: String {
        let done = isDryRun ? "would be put; nothing was" : "put"
        let rest = refused.isEmpty ? "" : "; \(HumanFormat.count(refused.count, "line")) refused"
        return "\(HumanFormat.count(put, "installation")) \(done)\(rest)"
    }

    func json(_ end: InstallationAnswer?, hub: String) -> JSONOutput {
        .object([
            "dry_run": .flag(isDryRun), "put": .number(isDryRun ? 0 : put), "valid": .number(put),
            "ended_by": .text(end?.ending(hub: hub).word), "because": .text(end?.ending(hub: hub).because),
            "refused": .list(
                refused.map {
                    .object(["line": .number($0.line), "id": .text($0.id), "because": .text($0.why)])
                }),
        ])
    }
}
