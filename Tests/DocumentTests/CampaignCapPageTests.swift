import Foundation
import ProgramSupport
import TestSupport
import Testing

/// "Not too often" of docs/campaigns.md: its spec and its commands.
@Suite(.timeLimit(.minutes(10))) struct CampaignCapPageTests {
    private static func type(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await Tool.shell(
            ["-c", command], environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
            in: URL(filePath: bench.folder.path))
    }

    @Test func theFourthRunOfTheWeekLeavesOutWhomThreeHaveReached() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        try await bench.worker.test.database.script(try #require(page.blocks("sql").dropFirst().first).text)
        let spec = try #require(page.blocks("json").first { $0.text.contains(#""cap""#) }).text
        _ = try bench.folder.write(spec, to: "offer.json")
        let created = try await Self.type("fanfare campaign create offer --file offer.json", bench)
        #expect(created.status == 0, "\(created)")
        for day in 1...4 {
            let run = try await Self.type("fanfare campaign run offer --key 2027-03-0\(day)", bench)
            #expect(run.status == 0, "\(run)")
            let drained = try await Self.type("fanfare drain", bench)
            #expect(drained.status == 0, "\(drained)")
        }
        let status = try await Self.type("fanfare campaign status offer", bench)
        func plain(_ text: String) -> String {
            text.replacing(/took \d+ s/, with: "took").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let shown = try #require(page.blocks("text").first { $0.text.contains("capped") }).text
        #expect(plain(status.output) == plain(shown), "\(status)")
        let json = try await Self.type("fanfare campaign status offer --json", bench)
        #expect(json.output.contains(#""capped": 1000"#), "\(json)")
        #expect(
            try await bench.worker.test.texts("SELECT capped::text FROM push.run_progress ORDER BY run")
                == ["0", "0", "0", "1000"])
    }

    @Test func suppressionsComeFromAFileAndGoToOne() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        _ = try bench.folder.write(
            "what,value,reason,until\nkey,44,unsubscribed,\ntag,user:45,bounced,2027-06-01\n", to: "unsubscribed.csv")
        let block = try #require(page.blocks("sh").first { $0.text.contains("suppress import") })
        let typed = try await Self.type("set -e\n" + block.text, bench)
        #expect(typed.status == 0, "\(typed)")
        #expect(typed.output.contains("2 lines: 2 suppressed, 0 changed, 0 were so already"), "\(typed)")
        let exported = try await Self.type("cat suppressed.csv", bench)
        #expect(
            exported.output == """
                what,value,reason,until
                key,42,unsubscribed,
                key,44,unsubscribed,
                tag,user:43,complaint,2027-06-01T00:00:00.000Z
                tag,user:45,bounced,2027-06-01T00:00:00.000Z

                """, "\(exported)")
        let again = try await Self.type("fanfare suppress import suppressed.csv --json", bench)
        #expect(again.output.contains(#""added": 0, "changed": 0, "leftOut": 0, "lines": 4"#), "\(again)")
        // A bad line: nothing of the file is taken.
        _ = try bench.folder.write("what,value\nkey,46\nuser,47\n", to: "unsubscribed.csv")
        let refused = try await Self.type("fanfare suppress import unsubscribed.csv", bench)
        #expect(refused.status == 65 && refused.errors.contains("unsubscribed.csv, line 3"), "\(refused)")
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.suppression") == 4)
    }

    @Test func aRunThatBypassesSaysSo() async throws {
        let bench = try await WorkerBench.make()
        let spec = #"{"hubs": ["news"], "audience": {"tags": ["A", "B"]}, "content": {"": {"title": "x"}}}"#
        _ = try bench.folder.write(spec, to: "recall.json")
        for (command, words) in [
            ("fanfare campaign create recall --file recall.json", "revision 1"),
            ("fanfare suppress add tag A --reason unsubscribed", "suppressed"),
            ("fanfare campaign run recall --key 1 --bypass-suppression", "reaches suppressed recipients, too"),
            ("fanfare drain", "2 accepted"), ("fanfare campaign status recall", "accepted 2"),
        ] {
            let ended = try await Self.type(command, bench)
            #expect(ended.status == 0 && (words.isEmpty || ended.output.contains(words)), "\(command): \(ended)")
        }
    }

    @Test func migrateUpTellsTheDatabaseHowLongItIsKnown() async throws {
        let bench = try await WorkerBench.make()
        for (days, status, words) in [("60", 0, "is known for 60 days"), ("0", 78, "caps.rememberDays")] {
            let ended = try await Self.type("FANFARE_CAPS_REMEMBER_DAYS=\(days) fanfare migrate up", bench)
            #expect(ended.status == Int32(status), "\(ended)")
            #expect((ended.output + ended.errors).contains(words), "\(ended)")
        }
        #expect(try await bench.worker.test.number("SELECT remember_days FROM push.retention") == 60)
    }
}
