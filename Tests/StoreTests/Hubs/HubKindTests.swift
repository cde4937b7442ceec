import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// `push.hub_kind`, and hubs of another kind than Notification Hubs.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HubKindTests {
    @Test func theDatabaseHasTheFactsOfEveryKind() async throws {
        let store = try await StoreFixture.untouched
        let rows = try await store.test.texts(
            """
            SELECT concat_ws('|', name, label, array_to_string(formats, ','), handles, handle, handle_bytes, example, tag, tags, mixed_tags,
                             folds_case, body_bytes, takes_templates, array_to_string(headers, ','), takes_languages, takes_broadcasts, packs,
                             joins_lives, keeps_devices)
              FROM push.hub_kind
             ORDER BY name
            """)
        let facts = HubKind.allCases.sorted { $0.rawValue < $1.rawValue }.map { kind in
            let f = kind.facts
            let flags = [f.takesLanguages, f.takesBroadcasts, f.packs, f.joinsLives, f.keepsDevices].map {
                $0 ? "t" : "f"
            }
            return
                ([
                    kind.rawValue, f.label, f.formats.joined(separator: ","), "\(f.handles)", f.handle,
                    "\(f.handleBytes)", f.example, f.tag.rawValue, "\(f.tags)", "\(f.mixedTags)",
                    f.foldsCase ? "t" : "f", "\(f.bodyBytes)",
                    f.takesTemplates ? "t" : "f", f.headers.joined(separator: ","),
                ] + flags).joined(separator: "|")
        }
        #expect(rows == facts)
    }

    /// The trigger tests what is usual with constants, because a table read at every row would cost too much.
    @Test func whatTheTriggerTestsQuicklyHasTheSameLimits() async throws {
        let store = try await StoreFixture.untouched
        let facts = HubKind.notificationHubs.facts
        #expect(try await store.test.number("SELECT push_internal.most_handles()") == Int64(facts.handles))
        #expect(try await store.test.number("SELECT push_internal.most_handle_bytes()") == Int64(facts.handleBytes))
        let least = try #require(HubKind.allCases.map(\.facts.handleBytes).min())
        #expect(try await store.test.number("SELECT push_internal.least_handle_bytes()") == Int64(least))
        let room = facts.bodyBytes - #"{"a": ""}"#.utf8.count
        #expect(
            try await store.test.texts(
                """
                SELECT push_internal.is_usual_content(json_build_object('a', repeat('x', n)::text)::text::jsonb::text::json)::text
                  FROM unnest(ARRAY[\(raw: "\(room), \(room + 1)")]) n
                """) == ["true", "false"])
    }

    @Test func aHubOfKindFCMIsRegisteredWithItsTopics() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "SELECT push.add_hub('shop', kind => 'fcm', tags_are_topics => true, broadcast_topic => 'all')")
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', kind, takes_templates, tags_are_topics, is_usual, broadcast_topic) FROM push.hub WHERE name = 'shop'"
            )
                == ["fcm f t f all"])
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', kind, takes_templates, tags_are_topics, is_usual) FROM push.hub WHERE name = 'news'"
            )
                == ["notification-hubs t f t"])
    }

    @Test func aConfigurationRegistersTopics() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            SELECT push.register_hub('{"name": "shop", "kind": "fcm", "tags": "topics", "broadcastTopic": "all",
                "localization": "properties", "languages": {}, "onDoubt": "hold", "expireAfterSeconds": 86400,
                "settleMilliseconds": 500, "contentKeyHours": 24, "dedupeHours": 168, "allowBroadcast": true}')
            """)
        #expect(
            try await store.test.texts(
                "SELECT concat_ws(' ', tags_are_topics, broadcast_topic) FROM push.hub WHERE name = 'shop'") == [
                    "t all"
                ])
    }

    @Test func theKindOfAHubNeverChanges() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        var other = TestWorker.news
        other.kind = .fcm
        for replaces in [true, false] {
            let error = await #expect(throws: DatabaseError.self) {
                if replaces { _ = try await hubs.register(other) } else { _ = try await hubs.registerIfMissing(other) }
            }
            #expect(error?.message == "hub \"news\" is of kind notification-hubs and cannot become one of kind fcm")
            #expect(error?.hint?.contains("hubs.news.kind") == true)
        }
        #expect(try await store.test.texts("SELECT kind FROM push.hub") == ["notification-hubs"])
    }

    @Test(arguments: [
        ("'x', kind => 'pigeon'", "kind \"pigeon\""),
        ("'x', tags_are_topics => true", "tags_are_topics at kind notification-hubs, which has no topics"),
        ("'x', broadcast_topic => 'all'", "broadcast_topic at kind notification-hubs, which has no topics"),
        ("'x', kind => 'fcm', broadcast_topic => 'a:b'", "broadcast_topic \"a:b\""),
    ])
    func whatAKindLacksIsRefused(arguments: String, rule: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.add_hub(\(raw: arguments))")
        }
        #expect(error?.message == "push.add_hub: \(rule)")
        #expect(error?.hint?.contains("apns, fcm, notification-hubs") == true)
    }

    @Test(arguments: [
        "put_device('shop', 'a', 'fcmv1', 'token')", "patch_device('shop', 'a', add_tags => '{World}')",
        "drop_device('shop', 'a')",
    ])
    func aHubThatKeepsNoDevicesRefusesThem(call: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('shop', kind => 'fcm')")
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.\(raw: call)")
        }
        #expect(error?.message.contains("hub \"shop\" is FCM, which keeps no devices") == true)
        #expect(error?.hint?.contains("Kinds that keep devices: notification-hubs.") == true)
        #expect(try await store.count("device") == 0)
    }
}
