import ProgramSupport
import Foundation
import Testing

@Suite struct StatusTests {
    @Test func tellsHubsWorkersAndResults() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'A', '{}', now() - interval '2 hours');
            SELECT push.register_v1('host/1', '1.2.3', 15);
            INSERT INTO push.tally SELECT id, date_trunc('minute', now()), 'accepted', 'taken_by_hub', 12 FROM push.hub;
            """)
        let text = try await site.fanfare("status").output
        #expect(text.contains("news  open     1      0  2 h 0 min"))
        #expect(text.contains("host/1"))
        #expect(text.contains("accepted"))
        #expect(text.contains("no worker serves this hub since 20"))
        let document = try await site.fanfare("status", "--json").json([String: Any].self)
        #expect(document.keys.sorted() == ["hubs", "in_doubt", "last_hour", "workers"])
        #expect((document["hubs"] as? [[String: Any]])?.first?["due"] as? Int == 1)
        #expect((document["workers"] as? [[String: Any]])?.first?["version"] as? String == "1.2.3")
        #expect((document["last_hour"] as? [[String: Any]])?.first?["messages"] as? Int == 12)
    }

    @Test(.timeLimit(.minutes(1))) func watchingShowsItAgainAndAgain() async throws {
        let site = try await Site.make()
        let process = site.fanfare.process(["status", "--watch"])
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        var text = ""
        // Each wait is for output: a watch that shows itself once only would end here by the test's own time limit.
        while text.ranges(of: "HUB ").count < 2 {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        process.terminate()
        process.waitUntilExit()
        #expect(text.ranges(of: "HUB ").count == 2)
        #expect(!text.contains("\u{1B}"), "this is no terminal")
    }

    @Test func aHubIsPausedAndResumed() async throws {
        let site = try await Site.make()
        func state() async throws -> String? {
            let hubs = try await site.fanfare("hub", "list", "--json").json([[String: Any]].self)
            return hubs.first?["state"] as? String
        }
        #expect(try await site.fanfare("hub", "pause", "news").status == 0)
        #expect(try await state() == "paused")
        #expect(try await site.fanfare("hub", "list").output.contains("paused by postgres"))
        #expect(try await site.fanfare("hub", "resume", "news").status == 0)
        #expect(try await state() == "open")
        let ended = try await site.fanfare("hub", "pause", "nws")
        #expect(ended.status == 65)
        #expect(ended.errors.hasPrefix(#"fanfare: cannot pause hub "nws": hub "nws" is not registered"#))
    }
}
