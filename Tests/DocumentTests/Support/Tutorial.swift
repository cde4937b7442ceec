import Foundation
import HubEmulator
import ProgramSupport
import TestSupport
import Testing

/// A page of docs/tutorials as one session of a shell, beside an emulator and `fanfare run`.
struct Tutorial {
    let page: Page
    let bench: WorkerBench
    /// What each block printed, by its line.
    let printed: [Int: String]
    /// What `fanfare emulate inbox` prints after the last block.
    let inbox: String

    /// Runs every block of sh and of SQL, in their order.
    ///
    /// - Throws: an expectation that fails when a block fails, or when SQL that is marked `refused` is taken.
    static func walk(_ name: String) async throws -> Tutorial {
        let page = try Page("docs/tutorials/\(name).md")
        let bench = try await bench(of: page)
        let emulator = bench.worker.emulator
        let usual = "127.0.0.1:8099"
        let here = "\(try #require(emulator.host)):\(try #require(emulator.port))"
        let script = try script(of: page).replacing(usual, with: here)
            .replacing("https://localhost:8443", with: emulator.secureEndpoint ?? "")
        // Has the rights that the start page names, and may make a table of its own.
        let backend = try await bench.worker.test.login(as: "push_enqueue")
        let login = try await backend.texts("SELECT current_user")[0]
        try await bench.worker.test.database.script(
            "GRANT push_register TO \(login); GRANT CREATE ON SCHEMA public TO \(login)")
        let ended = try await Tool.shell(
            ["-c", script],
            environment: [
                "PATH": "\(Fanfare.directory):/usr/bin:/bin", "FANFARE_DATABASE_URL": bench.worker.test.conninfo,
                "BACKEND": backend.conninfo,
            ], in: URL(filePath: bench.folder.path))
        var printed: [Int: String] = [:]
        for part in ended.output.split(separator: separator).dropFirst() {
            let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            printed[Int(lines[0]) ?? 0] = String(lines[1]).replacing(here, with: usual)
                .replacing(here.replacing(":", with: "%3a"), with: usual.replacing(":", with: "%3a"))
        }
        try #require(
            ended.status == 0, "\(page.path) line \(printed.keys.max() ?? 0): \(ended.output.suffix(2_000))")
        return Tutorial(page: page, bench: bench, printed: printed, inbox: printed[end] ?? "")
    }

    /// The emulator that the page starts: with the senders of its line, and with the texts or buttons that the page writes to a
    /// file; or without.
    private static func bench(of page: Page) async throws -> WorkerBench {
        guard let start = page.blocks.first(where: { $0.info == "sh start" }) else {
            return try await WorkerBench.make()
        }
        let file = try #require(start.text.firstMatch(of: /(?s)> (\S+) <<'END'\n(.+?)\nEND\n/))
        let (name, text) = (String(file.1), Array(file.2.utf8))
        let strings = start.text.contains("--strings \(name)") ? try StringsFile(json: text, file: name) : nil
        let categories = start.text.contains("--categories \(name)") ? try CategoriesFile(json: text, file: name) : nil
        #expect(strings != nil || categories != nil, "\(page.path): no option names \(name)")
        let google = start.text.firstMatch(of: /--fcm (\w+)=(\S+)/)
        let apple = start.text.firstMatch(of: /--apns (\w+)=(AuthKey_([A-Z0-9]{10})\.p8)/)
        let bench = try await WorkerBench.make {
            $0.senders = google.map { [.init(String($0.1))] } ?? []
            $0.apnsSenders = apple.map { [.init(String($0.1), keys: [.init(id: String($0.3))])] } ?? []
            ($0.strings, $0.categories) = (strings, categories)
        }
        let emulator = bench.worker.emulator
        if let google {
            let account = try #require(emulator.serviceAccount(of: String(google.1)))
            try bench.folder.write(account.reveal(), to: String(google.2))
        }
        if let apple {
            let authority = try #require(start.text.firstMatch(of: /--ca-file (\S+)/)).1
            try bench.folder.write(try #require(emulator.certificateAuthority), to: String(authority))
            let key = try #require(emulator.apnsKey(of: String(apple.1)))
            try bench.folder.write(key.reveal(), to: String(apple.2))
        }
        return bench
    }

    private static let separator: Character = "\u{1E}"
    /// Stands for a line after the last one.
    private static let end = Int(Int32.max)

    /// The start page's session with the page's blocks in it, each announced by its line.
    private static func script(of page: Page) throws -> String {
        let start = try Page("docs/tutorials/README.md").blocks("sh").map(\.text)
        let own = page.blocks.first { $0.info == "sh start" }?.text ?? start[0]
        // The emulator runs already.
        let begin = own.replacing(#/fanfare-emulator .+ &\n/#, with: "")
        #expect(start.count == 2 && begin != own)
        var script = ["set -euo pipefail", "trap 'kill $(jobs -p)' EXIT", "exec 2>&1", begin]
        for block in page.blocks {
            let psql = "psql -X -q -v ON_ERROR_STOP=1 \"$BACKEND\" <<'SQL'\n\(block.text)\nSQL"
            let command: String
            switch block.info {
            // A machine may be slow.
            case "sh":
                command = block.text.replacing("emulate wait", with: "emulate wait --timeout 10m")
                    .replacing("device wait", with: "device wait --at-most 10m")
            case "sql": command = psql
            case "sql refused": command = "if \(psql)\nthen false; fi"
            default: continue
            }
            script.append("printf '\(separator)\(block.line)\\n'\n\(command)")
        }
        script += ["printf '\(separator)\(end)\\n'", "fanfare emulate inbox", "trap - EXIT", start[1], "wait"]
        return script.joined(separator: "\n")
    }

    /// Whether a block printed what the page shows: `…` stands for varying text.
    func matches(_ block: Page.Block, _ shown: Page.Block) throws -> Bool {
        let pattern = Self.lines(shown.text, of: block).components(separatedBy: "…").map(
            NSRegularExpression.escapedPattern)
        let regex = try Regex(pattern.joined(separator: ".*")).dotMatchesNewlines()
        return try regex.wholeMatch(in: Self.lines(printed[block.line] ?? "", of: block)) != nil
    }

    /// Notifications of requests that go side by side come in any order. Of a refusal the page shows the error and its
    /// hint. A command that changes an emulator says which one.
    private static func lines(_ text: String, of block: Page.Block) -> String {
        var lines = plain(text).filter { !$0.hasPrefix("changed the emulator at ") }
        if block.text.contains("emulate wait") { lines.sort() }
        if block.info == "sql refused" { lines = lines.filter { $0.hasPrefix("ERROR:") || $0.hasPrefix("HINT:") } }
        return lines.joined(separator: "\n")
    }

    /// The lines, without times and without the space with which psql ends some.
    static func plain(_ text: String) -> [String] {
        text.replacing(#/(?m)^\d\d:\d\d:\d\d\.\d{3}  /#, with: "time  ").trimmingCharacters(in: .newlines)
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }
}
