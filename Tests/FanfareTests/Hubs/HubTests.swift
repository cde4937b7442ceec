import ProgramSupport
import Foundation
import Testing

/// `fanfare hub …`: what people decide about hubs.
@Suite struct HubTests {
    private func hub(_ name: String = "news", of site: Site) async throws -> [String: Any] {
        let hubs = try await site.fanfare("hub", "list", "--json").json([[String: Any]].self)
        return try #require(hubs.first { $0["hub"] as? String == name })
    }

    @Test func aGateIsOpenedByHand() async throws {
        let site = try await Site.make()
        try await site.execute("UPDATE push.hub_state SET gate_until = now() + interval '1 hour'")
        #expect(try await hub(of: site)["state"] as? String == "gate closed")
        #expect(try await site.fanfare("hub", "open-gate", "news").status == 0)
        #expect(try await hub(of: site)["state"] as? String == "open")
        #expect(try await site.text("SELECT action FROM push.audit ORDER BY id DESC LIMIT 1") == "open_gate")
    }

    @Test func aRateIsSetAndSetBack() async throws {
        let site = try await Site.make()
        #expect(
            try await site.fanfare("hub", "rate", "news", "200").output
                == "hub news: at most 200 posts per second\n")
        #expect(try await hub(of: site)["rate"] as? Double == 200)
        #expect(try await site.fanfare("hub", "rate", "news", "default").status == 0)
        #expect(try await hub(of: site)["rate"] is NSNull)
        #expect(try await site.fanfare("hub", "rate", "news", "none").output == "hub news: no limit\n")
        #expect(try await hub(of: site)["rate"] is NSNull)
        #expect(try await site.fanfare("hub", "rate", "news", "fast").status == 64)
        #expect(try await site.fanfare("hub", "rate", "news", "0").status == 64, "none is the word for it")
        #expect(try await site.fanfare("hub", "rate", "news", "-1").status == 64)
    }

    @Test func aHubIsAddedWithoutASecret() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "hub", "add", "alerts", "--language", "en=English", "--fallback", "en", "--on-doubt", "resend")
        #expect(ended.status == 0, "\(ended.errors)")
        let json = ended.output.drop { $0 != "{" }
        let entry = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [String: Any]]
        #expect(entry?["alerts"]?["fallback"] as? String == "en")
        #expect(entry?["alerts"]?["onDoubt"] as? String == "resend")
        #expect(try await hub("alerts", of: site)["state"] as? String == "open")
        try await site.execute("INSERT INTO push.message (hub, tag, content) VALUES ('alerts', 'A', '{}')")
        #expect(try await site.fanfare("hub", "add", "news").output == "hub news: registered\n")
        #expect(try await site.fanfare("hub", "add", "news", "--fallback", "fr").status == 64)
        #expect(try await site.fanfare("hub", "add", "x", "--fallback", "fr").status == 65)
        #expect(try await site.fanfare("hub", "add", "Not A Name").status == 65)
    }

    @Test func aHubOfAnotherKindIsAddedWithWhatItsKindNeeds() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare(
            "hub", "add", "shop", "--kind", "fcm", "--topics", "--allow-broadcast", "--broadcast-topic", "all")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output.contains("with its service account:"))
        let json = ended.output.drop { $0 != "{" }
        let entry = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [String: Any]]
        #expect(
            entry?["shop"]?.keys.sorted() == ["allowBroadcast", "broadcastTopic", "kind", "serviceAccount", "tags"])
        #expect(
            try await site.fanfare("hub", "rotate", "shop").errors.contains(
                "hint: Start a worker that serves it (fanfare run) with hubs.shop.secondaryServiceAccount set."))
        for wrong in [["--hub", "x"], ["--kind", "apns"]] {
            #expect(try await site.fanfare.run(["hub", "add", "y", "--kind", "fcm"] + wrong).status == 64)
        }
        #expect(try await site.fanfare("hub", "add", "y", "--topics").status == 64)
        #expect(try await site.fanfare("hub", "add", "y", "--topic").errors.contains("did you mean --topics?"))
        #expect(try await site.fanfare("hub", "add", "y", "--kind", "fcm", "--allow-broadcast").status == 65)
    }

    /// It would be registered as the default kind, and a kind never changes.
    @Test func aHubWhoseKindIsMisspeltInTheSettingsIsNotAdded() async throws {
        let site = try await Site.make()
        let settings = try Site.fcmSettings(url: site.url).replacing("\"fcm\"", with: "\"fmc\"")
        let fanfare = BuiltProgram(
            settings: try site.scratch.write(settings, to: "misspelt.json"), scratch: site.scratch)
        let ended = try await fanfare("hub", "add", "shop")
        #expect(ended.status == 78, "\(ended.output)")
        #expect(ended.errors.contains(#"hubs.shop.kind: is "fmc""#), "\(ended.errors)")
        #expect(try await !site.fanfare("hub", "list").output.contains("shop"))
    }

    /// The same role as for every other command about hubs, and for `push.add_hub`.
    @Test func anOperatorAddsAHubAndAWorkerDoesNot() async throws {
        let site = try await Site.make()
        for (role, status) in [("push_operator", 0), ("push_worker", 77)] as [(String, Int32)] {
            let login = "r_" + UUID().uuidString.lowercased().filter { $0 != "-" }
            try await site.execute("CREATE ROLE \(login) LOGIN IN ROLE \(role)")
            let ended = try await site.fanfare(
                "hub", "add", "alerts", "--set", "database.url=\(site.url) user=\(login)")
            #expect(ended.status == status, "\(role): \(ended.errors)")
            if status != 0 { #expect(ended.errors.contains("GRANT push_operator TO")) }
        }
    }

    @Test func aHubThatNobodyServesSaysSinceWhen() async throws {
        let site = try await Site.make()
        let seen = try await hub(of: site)
        #expect(seen["workers"] as? Int == 0)
        #expect(seen["unserved_since"] is String)
        #expect(seen["differing"] is NSNull)
        #expect(try await site.fanfare("hub", "list").output.contains("no worker serves this hub since 20"))
        #expect(
            try await site.fanfare("hub", "show", "news").output.contains("\nnote          no worker serves this hub"))
    }

    @Test func migrateUpBringsAChangedHubUpToDate() async throws {
        let site = try await Site.make()
        _ = try site.scratch.write(Site.settings(url: site.url, hub: "\"onDoubt\": \"resend\","), to: "config.json")
        #expect(try await site.fanfare("migrate", "up").status == 0)
        #expect(try await site.text("SELECT on_doubt FROM push.hub") == "resend")
        #expect(
            try await site.text("SELECT detail ->> 'changed' FROM push.audit WHERE action = 'register_hub'")
                == "[\"onDoubt\"]")
    }

    @Test func aKeyIsRotatedOnlyWhereThereAreTwo() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("hub", "rotate", "news")
        #expect(ended.status == 65)
        #expect(
            ended.errors.contains(
                "hint: Start a worker that serves it (fanfare run) with hubs.news.secondaryConnectionString set."))
    }

    @Test func aHubIsRemovedWithWhatWaitsForIt() async throws {
        let site = try await Site.make()
        #expect(try await site.fanfare("hub", "add", "alerts").status == 0)
        try await site.execute(
            """
            INSERT INTO push.message (hub, tag, content) VALUES ('alerts', 'A', '{"m": "x"}'), ('news', 'A', '{"m": "x"}');
            SELECT push.put_device('alerts', 'phone-1', 'apns', repeat('ab', 32));
            SELECT push.put_device('alerts', 'phone-2', 'apns', repeat('cd', 32));
            """)
        let refused = try await site.fanfare("hub", "remove", "alerts")
        #expect(refused.status == 65 && refused.output.isEmpty)
        #expect(refused.errors.contains("hub \"alerts\" has 1 pending message\nhint: "), "\(refused.errors)")
        #expect(refused.errors.contains("fanfare hub remove alerts --cancel"))

        let ended = try await site.fanfare("hub", "remove", "alerts", "--cancel")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(
            ended.output
                == "hub alerts: 1 message cancelled\nhub alerts: 2 changes of devices refused\nhub alerts: removed\n")
        #expect(try await site.fanfare("hub", "list", "--json").json([[String: Any]].self).count == 1)
        #expect(
            try await site.text("SELECT string_agg(status::text, ' ' ORDER BY id) FROM push.message_status")
                == "cancelled due")
        #expect(
            try await site.text("SELECT string_agg(DISTINCT status, ' ') FROM push.device_status") == "refused")
        let again = try await site.fanfare("hub", "remove", "alerts", "--cancel")
        #expect(again.status == 65)
        #expect(again.errors.contains(#"hub "alerts" was removed already"#), "\(again.errors)")
        #expect(try await site.fanfare("hub", "remove", "nws").status == 65)
    }

    @Test func aHubThatIsNotRegisteredIsSaidSo() async throws {
        let site = try await Site.make()
        for command in [["open-gate", "nws"], ["rate", "nws", "1"], ["rotate", "nws"], ["show", "nws"]] {
            let ended = try await site.fanfare.run(["hub"] + command)
            #expect(ended.status == 65, "\(command)")
            #expect(ended.errors.contains(#"hub "nws" is not registered"#), "\(command)")
        }
    }

    @Test func everyActionHasADocument() async throws {
        let site = try await Site.make()
        func told(_ words: String...) async throws -> [String: Any] {
            let ended = try await site.fanfare.run(["hub"] + words + ["--json"])
            #expect(ended.status == 0, "\(words): \(ended.errors)")
            return try ended.json([String: Any].self)
        }
        #expect(try await told("pause", "news", "--reason", "new key")["reason"] as? String == "new key")
        #expect(try await told("resume", "news")["state"] as? String == "open")
        #expect(try await told("open-gate", "news")["gate"] as? String == "open")
        #expect(try await told("rate", "news", "20")["rate"] as? Double == 20)
        #expect(try await told("rate", "news", "default")["rate"] is NSNull)
        #expect(try await told("add", "news")["add_to_settings"] is NSNull)
        #expect((try await told("add", "alerts")["add_to_settings"] as? [String: Any])?.keys.sorted() == ["alerts"])
        let removed = try await told("remove", "alerts", "--cancel")
        #expect(removed["removed"] as? Bool == true && removed["cancelled"] as? Int == 0)
    }

    @Test func everyHubIsListedWithItsKind() async throws {
        let site = try await Site.make()
        #expect(try await site.fanfare("hub", "add", "shop", "--kind", "fcm").status == 0)
        #expect(try await hub("shop", of: site)["kind"] as? String == "fcm")
        #expect(try await hub(of: site)["kind"] as? String == "notification-hubs")
        #expect(try await site.fanfare("hub", "show", "shop").output.contains("\nkind          fcm\n"))
        #expect(try await site.fanfare("hub", "list").output.contains("shop  fcm                open"))
        #expect(try await site.fanfare("status").output.contains("shop  fcm                open"))
    }
}
