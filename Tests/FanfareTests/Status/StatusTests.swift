import ProgramSupport
import Foundation
import Testing

@Suite struct StatusTests {
    @Test func tellsHubsWorkersAndResults() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'A', '{}', now() - interval '2 hours');
            SELECT push_worker.register_v1('host/1', '1.2.3', 15);
            INSERT INTO push.tally SELECT id, date_trunc('minute', now()), 'accepted', 'taken_by_hub', 12 FROM push.hub;
            """)
        let text = try await site.fanfare("status").output
        #expect(text.contains("news  notification-hubs  open     1      0  2 h 0 min"))
        #expect(text.contains("host/1"))
        #expect(text.contains("accepted"))
        #expect(text.contains("no worker serves this hub since 20"))
        let document = try await site.fanfare("status", "--json").json([String: Any].self)
        #expect(document.keys.sorted() == ["hubs", "in_doubt", "last_hour", "more_in_doubt", "workers"])
        #expect((document["hubs"] as? [[String: Any]])?.first?["due"] as? Int == 1)
        #expect((document["workers"] as? [[String: Any]])?.first?["version"] as? String == "1.2.3")
        #expect((document["last_hour"] as? [[String: Any]])?.first?["results"] as? Int == 12)
        #expect(text.contains("RESULTS"))
    }

    /// A look at ten million messages costs what one at ten thousand does, unless a person wants the number.
    @Test func countsStopAtTenThousandUnlessTheyAreToBeExact() async throws {
        let site = try await Site.make()
        try await site.execute(
            """
            INSERT INTO push.due (due_at, id, hub, priority) SELECT now() - interval '2 h', g, 1, 1 FROM generate_series(1, 10001) g;
            INSERT INTO push.due (due_at, id, hub, priority) SELECT now() + interval '2 h', g, 1, 1 FROM generate_series(1, 7) g;
            """)
        for command in [["status"], ["hub", "list"], ["top", "--once", "--interval", "0.2"]] {
            let capped = try await site.fanfare.run(command).output
            let exact = try await site.fanfare.run(command + ["--exact"]).output
            #expect(capped.contains(" 10,000+ "), "\(command): \(capped)")
            #expect(exact.contains(" 10001 ") && !exact.contains("+"), "\(command): \(exact)")
            #expect(command == ["hub", "list"] || capped.contains("2 h 0 min"), "\(command): \(capped)")
        }
        #expect(
            try await site.fanfare("hub", "show", "news").output.contains("\ndue           10,000+\nlater         7\n"))
        #expect(try await site.fanfare("hub", "show", "news", "--exact").output.contains("\ndue           10001\n"))
        #expect(try await site.fanfare("doctor").output.contains("10,000+ messages"))
        for (options, due, more) in [([], 10_000, true), (["--exact"], 10_001, false)] {
            let document = try await site.fanfare.run(["status", "--json"] + options).json([String: Any].self)
            let hub = try #require((document["hubs"] as? [[String: Any]])?.first)
            #expect(hub["due"] as? Int == due && hub["more_due"] as? Bool == more, "\(hub)")
            #expect(hub["later"] as? Int == 7 && hub["more_later"] as? Bool == false, "\(hub)")
            #expect((hub["waiting"] as? Double ?? 0) > 7_199, "\(hub)")
        }
    }

    /// Who registers no devices sees nothing of them.
    @Test func changesOfDevicesAreCountedWhereThereAreAny() async throws {
        let site = try await Site.make()
        for command in [["status"], ["hub", "show", "news"], ["top", "--once", "--interval", "0.2"]] {
            let output = try await site.fanfare.run(command).output
            #expect(!output.localizedCaseInsensitiveContains("device"), "\(command): \(output)")
        }
        let none = try await site.fanfare("hub", "show", "news", "--json").json([String: Any].self)
        #expect(none["devices"] is NSNull)

        try await site.execute(
            """
            SELECT push.put_device('news', 'phone-' || n, 'apns', '00') FROM generate_series(1, 5) n;
            UPDATE push.installation_due SET due_at = now() + interval '1 hour' WHERE id = 5;
            UPDATE push.installation_due SET due_at = now() - interval '2 hours' WHERE id = 1;
            DELETE FROM push.installation_due WHERE id = 4;
            INSERT INTO push.installation_result (id, status, http) VALUES (4, 'refused', 400);
            """)
        let open = try await site.fanfare("status").output
        #expect(open.contains("DEVICES AT  STATE  DUE  LATER    WAITING  REFUSED  WHY\n"), "\(open)")
        #expect(open.contains("news        open     3      1  2 h 0 min        1\n"), "\(open)")
        try await site.execute("SELECT push_worker.close_devices_v1(1, 600, 'hub replied 429')")
        for command in [["status"], ["hub", "show", "news"], ["top", "--once", "--interval", "0.2"]] {
            let output = try await site.fanfare.run(command).output
            #expect(output.contains("hub replied 429 (until 20"), "\(command): \(output)")
        }
        let shown = try await site.fanfare("hub", "show", "news").output
        #expect(shown.contains("devices       3 changes due, 1 later, the oldest due for 2 h 0 min\n"), "\(shown)")
        #expect(shown.contains("refused       1 change of devices in the last day\n"), "\(shown)")
        let document = try await site.fanfare("status", "--json").json([String: Any].self)
        let devices = try #require((document["hubs"] as? [[String: Any]])?.first?["devices"] as? [String: Any])
        #expect(devices["due"] as? Int == 3 && devices["later"] as? Int == 1 && devices["refused"] as? Int == 1)
        #expect(devices["state"] as? String == "closed" && devices["why"] as? String == "hub replied 429")
        #expect(devices.keys.sorted() == ["due", "later", "refused", "state", "until", "waiting", "why"])
    }

    @Test(.timeLimit(.minutes(10))) func watchingShowsItAgainAndAgain() async throws {
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
        #expect(try await site.fanfare("hub", "pause", "news", "--reason", "new key on Monday").status == 0)
        for command in [["hub", "list"], ["hub", "show", "news"], ["status"]] {
            let output = try await site.fanfare.run(command).output
            #expect(output.contains("paused by postgres: new key on Monday"), "\(command): \(output)")
        }
        let long = try await site.fanfare("hub", "pause", "news", "--reason", String(repeating: "x", count: 201))
        #expect(long.status == 65 && long.errors.contains("the reason has 201 characters"), "\(long)")
        let ended = try await site.fanfare("hub", "pause", "nws")
        #expect(ended.status == 65)
        #expect(ended.errors.hasPrefix(#"fanfare: cannot pause hub "nws": hub "nws" is not registered"#))
    }
}
