import CommandLineTool
import ArgumentParser
import Daemon
import HTTPTransport
import Providers
import PushModel

/// `fanfare installation import`
struct ImportInstallations: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Put many installations, one JSON object per line.",
        discussion: """
            Each line is the whole installation, as export writes it. Putting one twice does no harm, so an import that \
            ended early is simply run again. A line that is refused is named on standard error with its number, and the \
            others go on; a hub that asks to wait is waited for.

            Exits 0 when all were put, 65 when lines were refused, and as send does when the hub itself fails.

            Example: fanfare installation import --hub news installations.jsonl --dry-run
            """)

    @Argument(
        help: ArgumentHelp("Installations as JSON Lines; - is standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Check every line and put nothing.") var dryRun = false
    @OptionGroup var atOnce: AtOnceOption
    @OptionGroup var target: InstallationOptions
    @OptionGroup var options: ReportOptions

    /// A line that is an installation.
    private struct Entry: Sendable {
        let line: Int
        let document: InstallationDocument
    }

    func report() async throws -> Report {
        let tally = ImportCounts(file: file, isDryRun: dryRun)
        let lines = try InputLines(file)
        // Lazy: no more lines are read than are asked for.
        let entries = lines.lazy.compactMap { line in Self.entry(line, tally) }
        var end: InstallationAnswer?
        if dryRun {
            _ = try HubClient(target.hub, of: try options.common.settings())
            for _ in entries { tally.put += 1 }
        } else {
            end = try await target.withHub(options.common, atOnce: atOnce.atOnce) { hub in
                try await put(entries, to: hub, tally)
            }
        }
        tally.progress.clear()
        let ended = end?.failure("cannot go on putting installations at hub \"\(target.hub)\"", hub: target.hub)
        return Report(
            tally.text, tally.json(end, hub: target.hub), status: tally.refused.isEmpty ? .ok : .badInput
        ).failing(with: lines.failure ?? ended, always: true)
    }

    private func put(
        _ entries: some Sequence<Entry>, to hub: HubConnection, _ tally: ImportCounts
    ) async throws -> InstallationAnswer? {
        let crowd = BoundedConcurrency<Entry>(
            errand: try .patient(hub), atOnce: atOnce.atOnce,
            request: { entry, installations, pass throws(InvalidInstallation) in
                try installations.request(put: entry.document, with: pass)
            })
        return try await crowd.run(entries) { entry, outcome, inFlight in
            switch outcome {
            case .success(let answer) where answer.verdict == .accepted: tally.put += 1
            case .success(let answer):
                tally.refuse(entry.line, entry.document.id, answer.ending(hub: target.hub).because ?? "missing")
            case .failure(let error): tally.refuse(entry.line, entry.document.id, "\(error)")
            }
            tally.progress.show(done: tally.put, refused: tally.refused.count, inFlight: inFlight)
        }
    }

    /// nil: the line is not an installation, and a complaint was printed.
    private static func entry(_ line: InputLines.Line, _ tally: ImportCounts) -> Entry? {
        do throws(InvalidInstallation) {
            return Entry(line: line.number, document: try InstallationDocument(json: line.bytes))
        } catch {
            tally.refuse(line.number, nil, "\(error)")
            return nil
        }
    }
}
