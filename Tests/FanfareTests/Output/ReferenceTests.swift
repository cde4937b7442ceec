import ProgramSupport
import Foundation
import Testing

/// docs/schema.md is what `fanfare migrate reference` prints, and docs/metrics.md what `fanfare metric reference` does.
@Suite struct ReferenceTests {
    private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    @Test func theReferenceInTheRepositoryIsThatOfTheSchema() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("migrate", "reference")
        #expect(ended.status == 0)
        let committed = try String(contentsOf: Self.repository.appending(path: "docs/schema.md"), encoding: .utf8)
        let isCurrent = ended.output == committed
        #expect(isCurrent, "run: fanfare migrate reference > docs/schema.md")
    }

    @Test func itTellsOfEveryTableViewFunctionAndRoleAndLeavesNoCommentOut() async throws {
        let site = try await Site.make()
        let text = try await site.fanfare("migrate", "reference").output
        for name in ["push.message", "push.hub_health", "push.status", "push_enqueue", "push.claim_id"] {
            #expect(text.contains("\n### \(name)\n"))
        }
        #expect(text.contains("\n### push.purge("))
        #expect(text.contains(". May be called by: push_operator."))
        #expect(!text.contains("message_0"))
        #expect(!text.contains("\n\n\n"), "something has no comment")
        let bare = text.split(separator: "\n").filter { $0.hasSuffix("|  |") }
        #expect(bare == [])
    }

    @Test func whatWasUsedMeanwhileDoesNotChangeIt() async throws {
        let site = try await Site.make()
        let before = try await site.fanfare("migrate", "reference").output
        try await site.execute(
            """
            SELECT push.add_hub('sport');
            INSERT INTO push.message (hub, tag, content) VALUES ('sport', 'a', '{}');
            SELECT setval('push.message_id_seq', 40000000), push.make_partitions(), push.grant_roles();
            """)
        #expect(try await site.fanfare("migrate", "reference").output == before)
    }

    @Test func theMetricsInTheRepositoryAreThoseOfTheProgram() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("metric", "reference")
        #expect(ended.status == 0)
        let committed = try String(contentsOf: Self.repository.appending(path: "docs/metrics.md"), encoding: .utf8)
        #expect(committed.hasPrefix(ended.output + "\n## "), "run: bin/generate")
    }

    @Test func theStepsInTheRepositoryAreThoseOfTheSources() async throws {
        let script = BuiltProgram(Self.repository.appending(path: ".ci/events").path, settings: nil)
        let table = try await script()
        let committed = try String(contentsOf: Self.repository.appending(path: "docs/metrics.md"), encoding: .utf8)
        #expect(table.status == 0 && table.output.contains("| claimed |"))
        #expect(committed.hasSuffix("\n\n" + table.output), "run: bin/generate")
    }
}
