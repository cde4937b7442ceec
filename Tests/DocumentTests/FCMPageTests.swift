import Foundation
import ProgramSupport
import TestSupport
import Testing

/// docs/fcm.md as a reader pastes it, from the settings to a pruned table.
@Suite(.timeLimit(.minutes(10))) struct FCMPageTests {
    @Test func thePhonesShowWhatThePagePrints() async throws {
        try await SenderBench.run("docs/fcm.md") { bench in
            let shells = bench.page.blocks.filter { $0.info == "sh" }
            #expect(shells.count == 2)
            let made = try await bench.type(shells[0].text)
            #expect(made.contains("hub shop: registered"), "\(made)")
            #expect(made.contains("service account: accepted by http://\(bench.emulator.address)"), "\(made)")
            try await bench.insert(bench.sql("welcome_title"))
            let printed = try await bench.type(shells[1].text)
            let shown = try #require(bench.page.blocks("text").first).text
            #expect(Tutorial.plain(printed) == Tutorial.plain(shown), "\(printed)")
        }
    }

    /// Two tables of a backend, and three times the statement that prunes: after the first messages, with nothing new, and after
    /// one more.
    @Test func aBackendPrunesWhatIsGoneAndNothingElse() async throws {
        try await SenderBench.run("docs/fcm.md") { bench in
            func phones() async throws -> [String] {
                try await bench.backend.texts("SELECT token FROM phone ORDER BY token")
            }
            let (send, prune) = (try bench.sql("FROM phone"), try bench.sql("DELETE FROM phone"))
            _ = try await bench.type("fanfare migrate up")
            try await bench.insert(bench.sql("CREATE TABLE phone"))
            try await bench.insert(bench.sql("CREATE TABLE pruned"))
            try await bench.backend.database.script(
                """
                INSERT INTO phone VALUES ('alice', 42), ('gone-1', 42), ('gone-2', 42), ('invalid-1', 42), ('gone-3', 43)
                """)
            try await bench.insert(send)
            // A drain in which messages were rejected ends with 1.
            let drained = try await bench.type("fanfare drain || test $? = 1")
            #expect(drained.contains("1 accepted") && drained.contains("3 rejected"), "\(drained)")
            try await bench.insert(prune)
            // That of another customer was not asked, and one that FCM calls invalid may be right in another project.
            #expect(try await phones() == ["alice", "gone-3", "invalid-1"])

            // Nothing is read twice: the phone came back to this table, perhaps from a backup.
            try await bench.backend.database.script("INSERT INTO phone VALUES ('gone-1', 44)")
            try await bench.insert(prune)
            #expect(try await phones() == ["alice", "gone-1", "gone-3", "invalid-1"])

            try await bench.backend.database.script("UPDATE phone SET customer = 42 WHERE token = 'gone-3'")
            try await bench.insert(send)
            _ = try await bench.type("fanfare drain || test $? = 1")
            try await bench.insert(prune)
            #expect(try await phones() == ["alice", "gone-1", "invalid-1"])
            #expect(
                try await bench.backend.texts("SELECT arrival::text FROM pruned")
                    == bench.test.texts("SELECT max(arrival)::text FROM push.gone_targets_after(NULL)"))

            let command = try #require(bench.page.text.firstMatch(of: /`(fanfare message list --gone [^`]+)`/)).1
            let printed = try await bench.type(String(command))
            let rows = try JSONSerialization.jsonObject(with: Data(printed.utf8)) as? [[String: Any]] ?? []
            let view = try await bench.test.texts("SELECT handle FROM push.gone_targets_after(NULL)")
            #expect(rows.compactMap { $0["handle"] as? String } == view && view.count == 3, "\(printed)")
        }
    }

    @Test func theTestOfAMessageReachesNobody() async throws {
        try await SenderBench.run("docs/fcm.md") { bench in
            let command = try #require(bench.page.text.firstMatch(of: /`(fanfare send [^`]+ --test)`/)).1
            let message = #"{"message": {"notification": {"title": "Your order is on its way"}}}"#
            try bench.folder.write(message, to: "message.json")
            _ = try await bench.type("fanfare-emulator device add alice --hub shop")
            let sent = try await bench.type(String(command).replacing("TOKEN", with: "alice"))
            #expect(sent.contains("accepted"), "\(sent)")
            let journal = try await bench.type("fanfare-emulator journal --json")
            #expect(journal.contains(#""trial""#) && journal.contains("Your order is on its way"), "\(journal)")
            let inbox = try await bench.type("fanfare-emulator inbox --json")
            #expect(inbox.contains(#""arrivals":[]"#) || inbox.contains(#""arrivals": []"#), "\(inbox)")
        }
    }

    @Test func everyBlockIsRunByATest() throws {
        let blocks = try Page("docs/fcm.md").blocks
        #expect(blocks.map(\.info).filter { $0 != "sql" } == ["json", "sh emulator", "sh", "sh", "text"])
        #expect(blocks.count { $0.info == "sql" } == 5)
    }
}
