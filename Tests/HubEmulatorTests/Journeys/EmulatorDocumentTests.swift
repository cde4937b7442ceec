import Foundation
import PushModel
import Signing
import Testing

@testable import HubEmulator

/// docs/emulator.md: its commands run, in order, against one emulator and print the output shown.
@Suite struct EmulatorDocumentTests {
    /// A fenced block, with the words after the opening fence.
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

    /// Blocks marked `run` are run with bash; a block marked `output` is what the preceding one printed. `…` stands for
    /// varying text.
    @Test func everyCommandPrintsItsOutput() async throws {
        let blocks = try Self.blocks()
        let strings = try Self.strings(in: blocks)
        let account = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: account) }
        let key = FileManager.default.temporaryDirectory.appending(path: "fanfare-\(UUID().uuidString).p8")
        defer { try? FileManager.default.removeItem(at: key) }
        let categories = try Self.categories(in: blocks)
        try await EmulatorFixture.runWithTLS({
            $0.hubs = [.init("news")]
            $0.senders = [EmulatorSettings.Sender("shop", accounts: FCMFixture.accounts)]
            $0.apnsSenders = [EmulatorSettings.APNsSender("ios")]
            $0.strings = strings
            $0.categories = categories
            $0.now = { Date().timeIntervalSince1970 }
        }) { fixture, authority in
            let ios = try #require(fixture.emulator.apnsSender("ios"))
            try Data(ios.keys[0].p8.reveal().utf8).write(to: key)
            let environment = [
                "EMULATOR_AT": fixture.host, "SHOP_ACCOUNT": account.path(), "IOS_KEY": key.path(),
                "IOS_KEY_ID": ios.keys[0].id, "IOS_ENDPOINT": try #require(fixture.emulator.secureEndpoint),
                "CA_FILE": authority,
            ]
            let file = try #require(fixture.emulator.serviceAccount(of: "shop"))
            try Data(file.reveal().utf8).write(to: account)
            var last: Program.Ended?
            var run = 0
            for block in blocks {
                if block.words.contains("run") {
                    // Another emulator may listen on the usual port: no command may change that one.
                    #expect(!block.text.contains("8099"), "\(block.text)")
                    let ended = try await Program("bash")(
                        ["-euo", "pipefail", "-c", block.text],
                        environment: environment)
                    #expect(ended.status == 0, "\(block.text)\n\(ended)")
                    last = ended
                    run += 1
                } else if block.words.contains("output") {
                    let printed = try #require(last).output.replacing(fixture.host, with: "127.0.0.1:8099")
                    #expect(Self.matches(printed, block.text), "\(printed)\n is not\n\(block.text)")
                }
            }
            #expect(run >= 8)
        }
    }

    /// The texts that the page shows as an example.
    private static func strings(in blocks: [Block]) throws -> StringsFile {
        let block = try #require(blocks.first { $0.words == ["json"] && $0.text.contains("welcome_title") })
        return try StringsFile(json: Array(block.text.utf8), file: "docs/emulator.md")
    }

    /// The buttons that the page shows as an example.
    private static func categories(in blocks: [Block]) throws -> CategoriesFile {
        let block = try #require(blocks.first { $0.words == ["json"] && $0.text.contains("INVITE_CATEGORY") })
        return try CategoriesFile(json: Array(block.text.utf8), file: "docs/emulator.md")
    }

    private static func matches(_ printed: String, _ expected: String) -> Bool {
        let parts = expected.trimmingCharacters(in: .newlines).components(separatedBy: "…")
        var rest = printed.trimmingCharacters(in: .newlines)[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            guard let range = rest.range(of: part), index > 0 || range.lowerBound == rest.startIndex else {
                return false
            }
            rest = rest[range.upperBound...]
        }
        return parts.last?.isEmpty == true || rest.isEmpty
    }

    /// Every address of the table exists.
    @Test func everyDocumentedAddressIsServed() async throws {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        let rows = page.matches(of: /(?m)^\| `([A-Z]+) \/_emulator\/([a-z\/]+)/)
        #expect(rows.count >= 15)
        try await EmulatorFixture.run { fixture in
            for row in rows where row.1 == "GET" {
                let reply = try await fixture.exchange(
                    fixture.request("GET", "/_emulator/\(row.2)", token: "", headers: [:]))
                #expect(!reply.body.contains("there is no such address"), "\(row.2)")
            }
        }
    }

    @Test func everyWarningIsDocumented() throws {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        for kind in EmulatorWarning.Kind.allCases { #expect(page.contains("| `\(kind.rawValue)` |"), "\(kind)") }
    }

    /// What lint finds, too, is said in its words.
    @Test func theWarningsOfLintHaveTheWordsOfItsRules() throws {
        let page = try String(contentsOf: Program.root.appending(path: "docs/emulator.md"), encoding: .utf8)
        let shared = EmulatorWarning.Kind.allCases.compactMap { LintRule(rawValue: $0.rawValue) }
        let meant: Set<LintRule> = [
            .mixedText, .missingProperty, .unusedProperty, .emptyAlert, .payloadShape, .tooLargeForPlatform,
            .impossibleTags,
            .wordTag, .wnsType,
        ]
        #expect(Set(shared) == meant)
        for rule in shared {
            #expect(page.contains("| `\(rule.rawValue)` | \(rule.sentence) |"), "\(rule.sentence)")
        }
    }
}
