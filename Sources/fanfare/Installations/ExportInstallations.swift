import CommandLineTool
import ArgumentParser
import Foundation
import Providers
import PushModel

/// `fanfare installation export`
struct ExportInstallations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write installations as JSON Lines, which import reads.",
        discussion: """
            Those that are named, or without names all that the hub's list of registrations leads to, in no particular \
            order. The hub throttles reads hard: a large hub takes its time. What was registered by other means than \
            installations is counted and left out. Handles are as good as addresses of people: a file is made readable \
            for its owner alone, and complete or not at all.

            Example: fanfare installation export --hub news --output installations.jsonl
            """)

    @Argument(help: "Ids of the installations; none: all.") var ids: [String] = []

    @Option(
        name: .customLong("ids"),
        help: ArgumentHelp("File with one id per line; - is standard input.", valueName: "file"),
        completion: .file())
    var idsFile: String?

    @Option(
        help: ArgumentHelp("Where to write them. Default: standard output.", valueName: "file"), completion: .file())
    var output: String?

    @OptionGroup var atOnce: AtOnceOption
    @OptionGroup var target: InstallationOptions
    @OptionGroup(title: CommonOptions.title) var options: CommandOptions
    @Flag(name: .customLong("json"), help: "Print how many there were as one JSON document; needs --output.")
    var json = false

    func validate() throws {
        if !ids.isEmpty && idsFile != nil { throw ValidationError("Give ids or --ids, not both.") }
        if json && output == nil { throw ValidationError("--json needs --output: the installations are JSON already.") }
    }

    func run() async throws {
        let sheet = try ExportWriter(output)
        let end = try await target.withHub(options, atOnce: atOnce.atOnce) { hub in
            let errand = try InstallationRequests.patient(hub)
            return isNamed
                ? try await exportNamed(with: errand, to: sheet) : try await exportAll(with: errand, to: sheet)
        }
        sheet.progress.clear()
        if let end {
            throw end.failure("cannot go on exporting installations of hub \"\(target.hub)\"", hub: target.hub)
        }
        try sheet.finish()
        try show(sheet)
        // Between the list and the read an installation may go; one that was asked for by name should be there.
        if !sheet.refused.isEmpty || isNamed && !sheet.missing.isEmpty {
            throw ExitCode(ExitStatus.badInput.rawValue)
        }
    }

    private var isNamed: Bool { !ids.isEmpty || idsFile != nil }

    private func show(_ sheet: ExportWriter) throws {
        if json {
            let document: JSONOutput = .object([
                "exported": .number(sheet.written), "missing": .list(sheet.missing.map(JSONOutput.text)),
                "other_registrations": .number(sheet.others), "refused": .list(sheet.refused.map(JSONOutput.text)),
            ])
            return try StandardStreams.print(document.document)
        }
        var line = "\(HumanFormat.count(sheet.written, "installation")) exported"
        if !sheet.missing.isEmpty { line += ", \(sheet.missing.count) not there" }
        if sheet.others > 0 { line += ", \(HumanFormat.count(sheet.others, "registration")) of other kinds left out" }
        StandardStreams.printError(line)
    }

    private func exportNamed(with errand: InstallationRequests, to sheet: ExportWriter) async throws
        -> InstallationAnswer?
    {
        guard let idsFile else { return try await export(ids, with: errand, to: sheet) }
        let lines = try InputLines(idsFile)
        let names = lines.lazy.map { line in
            String(decoding: line.bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
        }
        let end = try await export(names, with: errand, to: sheet)
        if let failure = lines.failure { throw failure }
        return end
    }

    /// Page by page, each installation once.
    private func exportAll(with errand: InstallationRequests, to sheet: ExportWriter) async throws
        -> InstallationAnswer?
    {
        var seen: Set<String> = []
        let pages = RegistrationPages(errand)
        do {
            while let page = try await pages.next() {
                sheet.others += page.others
                let fresh = page.installations.filter { seen.insert($0).inserted }
                if let end = try await export(fresh, with: errand, to: sheet) { return end }
            }
            return nil
        } catch RegistrationPages.Fault.refused(let answer) {
            return answer
        } catch RegistrationPages.Fault.noPage {
            throw Failure(
                "cannot list the registrations of hub \"\(target.hub)\"",
                because: "the hub's answer is not a list, or one registration has more than 64 kB",
                hint: "Name the installations instead: --ids FILE.", status: .internalFault)
        }
    }

    private func export(
        _ ids: some Sequence<String>, with errand: InstallationRequests, to sheet: ExportWriter
    ) async throws -> InstallationAnswer? {
        let crowd = BoundedConcurrency<String>(
            errand: errand, atOnce: atOnce.atOnce,
            request: { id, installations, pass throws(InvalidInstallation) in
                try installations.request(get: id, with: pass)
            })
        return try await crowd.run(ids) { id, outcome, inFlight in
            switch outcome {
            case .success(let answer) where answer.isMissing: sheet.missing.append(id)
            case .success(let answer) where answer.verdict == .accepted: try sheet.write(answer.body, of: id)
            case .success(let answer): sheet.refuse(id, answer.ending(hub: target.hub).because ?? "refused")
            case .failure(let error): sheet.refuse(id, "\(error)")
            }
            sheet.progress.show(done: sheet.written, refused: sheet.refused.count, inFlight: inFlight)
        }
    }
}
