import Foundation
import Signing
import Testing

@testable import HubEmulator

/// docs/emulator.md: what it shows is run, in its order, against one emulator, and answers what it says.
@Suite struct EmulatorPageTests {
    /// A block between fences, and the words behind the opening one.
    private struct Block {
        let words: [Substring]
        let text: String
    }

    private static func blocks() throws -> [Block] {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        return page.matches(of: /(?ms)^```([^\n]+)\n(.*?)^```$/).map { match in
            Block(words: match.1.split(separator: " "), text: String(match.2))
        }
    }

    /// Blocks marked `run` are run with bash; one marked `output` says what the last of them printed. `…` stands for what
    /// is each time another.
    @Test func everyCommandOfThePageDoesWhatItSays() async throws {
        let blocks = try Self.blocks()
        try await Bench.run({
            $0.hubs = [.init("news")]
            $0.now = { Date().timeIntervalSince1970 }
        }) { bench in
            var last: Program.Ended?
            var run = 0
            for block in blocks {
                if block.words.contains("run") {
                    let script = block.text.replacing("127.0.0.1:8099", with: bench.host)
                    let ended = try await Program("bash")(["-euo", "pipefail", "-c", script])
                    #expect(ended.status == 0, "\(block.text)\n\(ended)")
                    last = ended
                    run += 1
                } else if block.words.contains("output") {
                    let said = try #require(last).output.replacing(bench.host, with: "127.0.0.1:8099")
                    #expect(Self.matches(said, block.text), "\(said)\n is not\n\(block.text)")
                }
            }
            #expect(run >= 8)
        }
    }

    private static func matches(_ said: String, _ shown: String) -> Bool {
        let parts = shown.trimmingCharacters(in: .newlines).components(separatedBy: "…")
        var rest = said.trimmingCharacters(in: .newlines)[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            guard let range = rest.range(of: part), index > 0 || range.lowerBound == rest.startIndex else {
                return false
            }
            rest = rest[range.upperBound...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }

    /// Every address of the table is there: it says 405 to a method it does not take, not 404.
    @Test func everyAddressOfTheTableIsServed() async throws {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        let rows = page.matches(of: /(?m)^\| `([A-Z]+) \/_emulator\/([a-z\/]+)/)
        #expect(rows.count >= 15)
        try await Bench.run { bench in
            for row in rows where row.1 == "GET" {
                let reply = try await bench.exchange(
                    bench.request("GET", "/_emulator/\(row.2)", token: "", headers: [:]))
                #expect(!reply.body.contains("there is no such address"), "\(row.2)")
            }
        }
    }

    @Test func everyWarningIsExplained() throws {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        for kind in EmulatorWarning.Kind.allCases { #expect(page.contains("| `\(kind.rawValue)` |"), "\(kind)") }
    }
}
