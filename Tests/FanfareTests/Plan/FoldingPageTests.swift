import Foundation
import ProgramSupport
import PushModel
import Testing

/// docs/folding.md, as a reader pastes it.
@Suite(.timeLimit(.minutes(5))) struct FoldingPageTests {
    private struct Block {
        /// Behind the three backticks.
        let info: String
        let text: String
    }

    private static func page() throws -> String {
        try String(contentsOf: Repository.root.appending(path: "docs/folding.md"), encoding: .utf8)
    }

    private static func blocks() throws -> [Block] {
        try page().matches(of: /(?m)^```(.*)\n((?:(?!```).*\n)*)```$/).map {
            Block(info: String($0.1), text: String($0.2))
        }
    }

    /// Of one run of a command of the page.
    private func output(of command: String, _ site: Site, file: String) async throws -> String {
        let words = command.split(separator: "| ").last.map(String.init) ?? command
        let arguments = words.split(whereSeparator: \.isWhitespace).dropFirst().map {
            $0 == "folding.jsonl" ? file : String($0)
        }
        let input = command.firstMatch(of: /printf '%s(\\n)?' '(.*)' \|/).map {
            String($0.2) + ($0.1 == nil ? "" : "\n")
        }
        return try await site.fanfare.run(arguments, input: input).output
    }

    @Test func everyCommandPrintsWhatThePageShows() async throws {
        let site = try await Site.make()
        let blocks = try Self.blocks()
        let rows = try #require(blocks.first { $0.info == "jsonl folding.jsonl" }).text
        let file = try site.scratch.write(rows, to: "folding.jsonl")
        var shown = 0
        for (block, next) in zip(blocks, blocks.dropFirst()) where block.info.isEmpty && next.info == "text" {
            let output = try await output(of: block.text, site, file: file)
            let withoutTime = { (text: String) in text.replacing(#/as of [0-9:]*Z/#, with: "as of") }
            #expect(withoutTime(output) == withoutTime(next.text), "\(block.text)")
            shown += 1
        }
        #expect(shown == 5)
        #expect(try await site.number("SELECT count(*) FROM push.message") == 0)
    }

    @Test func theTableHasEveryReasonInItsOrder() throws {
        let rows = try Self.page().matches(of: /(?m)^\| `([a-z_]+)` \| (.*?) \| (.*) \|$/)
            .map { [String($0.1), String($0.2), String($0.3)] }
        #expect(rows == Apart.allCases.map { [$0.rawValue, $0.label, $0.sentence] })
    }
}
