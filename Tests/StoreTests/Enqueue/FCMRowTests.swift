import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing
import VectorSupport

/// What an INSERT for a hub of kind `fcm` refuses: Vectors/fcm_rows.json and the messages of
/// Vectors/fcm-apns/fcm-messages.json, as the planner judges them (PushModelTests/Planning/FCMRowTests).
@Suite(.serialized, .timeLimit(.minutes(10))) struct FCMRowTests {
    static func make() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            """
            SELECT push.add_hub('shop', kind => 'fcm', allow_broadcast => true),
                   push.add_hub('topics', kind => 'fcm', tags_are_topics => true, allow_broadcast => true, broadcast_topic => 'all'),
                   push.add_hub('langs', kind => 'fcm', tags_are_topics => true, allow_broadcast => true, broadcast_topic => 'all',
                                localization => 'tags')
            """)
        return store
    }

    /// Inserts one row.
    ///
    /// - Returns: the error; nil: it was taken, and has a pointer.
    static func refusal(of row: [String: Any], hub: String, in store: StoreFixture) async throws -> DatabaseError? {
        let handles = row["handles"] as? [String]
        let before = try await store.count("due")
        do {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, handles, broadcast, locale, content, format, headers)
                VALUES (\(hub), \(row["tag"] as? String), \(handles), \(row["broadcast"] as? Bool ?? false),
                        \(row["locale"] as? String), \(try #require(row["content"] as? String))::json,
                        \(row["format"] as? String ?? "template"), \(row["headers"] as? String)::json)
                """)
        } catch let error as DatabaseError {
            #expect(try await store.count("due") == before)
            return error
        }
        #expect(try await store.count("due") == before + 1)
        return nil
    }

    @Test func anInsertTakesOnlyWhatTheServiceTakes() async throws {
        let store = try await Self.make()
        for entry in try Vectors.objects("fcm_rows", "cases") {
            let name = try #require(entry["name"] as? String)
            let row = try #require(entry["row"] as? [String: Any])
            let error = try await Self.refusal(of: row, hub: try #require(entry["hub"] as? String), in: store)
            #expect(error?.column == entry["refused"] as? String, "\(name): \(error.map { "\($0)" } ?? "taken")")
            if let error { #expect(error.hint?.isEmpty == false && error.sqlState == "23514", "\(name)") }
        }
    }

    @Test(arguments: ["valid", "invalid"])
    func messagesOfTheVectorsAreJudgedAsFCMJudgesThem(member: String) async throws {
        let store = try await Self.make()
        for entry in try Vectors.objects("fcm-apns/fcm-messages", member) {
            guard var message = (entry["message"] ?? entry["input"]) as? [String: Any] else { continue }
            let (token, topic) = (message.removeValue(forKey: "token"), message.removeValue(forKey: "topic"))
            var row: [String: Any] = [
                "format": "fcmv1",
                "content": String(
                    decoding: try JSONSerialization.data(withJSONObject: ["message": message]), as: UTF8.self),
            ]
            if let token { row["handles"] = [token] } else { row["tag"] = topic }
            let error = try await Self.refusal(of: row, hub: "topics", in: store)
            #expect(
                (error == nil) == (member == "valid"), "\(entry["name"] ?? ""): \(error.map { "\($0)" } ?? "taken")")
        }
    }

    @Test(arguments: [
        (
            "'shop', '{one,two}'::text[], NULL, 'fcmv1'", "has 2 handles, and one request to FCM takes exactly one",
            "SELECT 'shop', ARRAY[h], 'fcmv1', '{...}' FROM unnest("
        ),
        ("'shop', '{one}', NULL, 'template'", "hub shop is FCM: set format to fcmv1", "template"),
        (
            "'topics', NULL, '/topics/Tech', 'fcmv1'", "character 1 (/) is not allowed in a topic",
            "Write Tech, if phones"
        ),
        ("'shop', '{one}', NULL, 'fcm'", "hub shop is FCM: set format to fcmv1", "Write the payload of the service"),
        ("'topics', NULL, 'lang:fr', 'fcmv1'", "\"lang:fr\" at character 1 is a tag and no topic", "Write lang_fr"),
        ("'topics', NULL, 'a || b || c || d || e || f', 'fcmv1'", "it has 6 topics, 5 are allowed", "at most 5"),
        ("'shop', NULL, 'Tech', 'fcmv1'", "hub \"shop\" is FCM and has no tags", "hubs.shop.tags to \"topics\""),
    ])
    func aRefusalSaysHowToMendIt(values: String, message: String, hint: String) async throws {
        let store = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, handles, tag, format, content)
                VALUES (\(raw: values), '{"message": {"data": {"a": "b"}}}')
                """)
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
    }

    @Test func onlyTheDefaultFormatIsExplainedAsSuch() async throws {
        let store = try await Self.make()
        let row: [String: Any] = ["handles": ["one"], "content": #"{"aps": {"alert": "hi"}}"#, "format": "apple"]
        let error = try await Self.refusal(of: row, hub: "shop", in: store)
        #expect(error?.hint?.contains("template") == false, "\(error?.hint ?? "")")
    }

    @Test func aLocaleAndHeadersSayWhereTheyGo() async throws {
        let store = try await Self.make()
        var row: [String: Any] = [
            "handles": ["one"], "content": #"{"message": {"data": {"a": "b"}}}"#, "format": "fcmv1",
        ]
        row["locale"] = "fr"
        let locale = try await Self.refusal(of: row, hub: "shop", in: store)
        #expect(locale?.message.contains("does not know the languages of phones") == true, "\(locale?.message ?? "")")
        #expect(locale?.hint?.contains("title_loc_key") == true)
        row["locale"] = nil
        row["headers"] = #"{"apns-priority": "5"}"#
        let headers = try await Self.refusal(of: row, hub: "shop", in: store)
        #expect(
            headers?.hint == "Format fcmv1 takes no headers: those of Apple and of browsers stand in the content, as "
                + "message.apns.headers and message.webpush.headers.")
    }

    /// A statement may hold rows for hubs of several kinds, each judged by its own rules.
    @Test func rowsOfSeveralKindsGoIntoOneStatement() async throws {
        let store = try await Self.make()
        func insert(_ format: String) async throws {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, format, content)
                SELECT h, 'tag' || g, CASE h WHEN 'news' THEN 'template' ELSE \(format) END,
                       CASE h WHEN 'news' THEN '{"a": "b"}' ELSE '{"message": {"data": {"a": "b"}}}' END::json
                  FROM generate_series(1, 20) g, unnest('{news,topics}'::text[]) h
                 ORDER BY g, h
                """)
        }
        try await insert("fcmv1")
        #expect(
            try await store.test.texts(
                "SELECT h.name || ' ' || count(*) FROM push.due d JOIN push.hub h ON h.id = d.hub GROUP BY h.name ORDER BY 1"
            )
                == ["news 20", "topics 20"])
        let error = await #expect(throws: DatabaseError.self) { try await insert("template") }
        #expect(error?.message.hasPrefix("row 2 (tag \"tag1\"): push.message.format \"template\"") == true)
        #expect(try await store.count("due") == 40)
    }

    @Test func topicsInPlainRowsTakeTheShortWay() async throws {
        let store = try await Self.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, tag, format, content)
            SELECT 'topics', 'Tech', 'fcmv1', '{"message": {"notification": {"title": "hi"}}}' FROM generate_series(1, 10)
            """)
        #expect(try await store.count("due") == 10)
        // Templates and other formats take the short way, too, and there the hub refuses them.
        for format in ["template", "apple"] {
            let content = format == "apple" ? #"{"aps": {"alert": "hi"}}"# : #"{"title": "hi"}"#
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.execute(
                    "INSERT INTO push.message (hub, tag, format, content) VALUES ('topics', 'Tech', \(format), \(content)::json)"
                )
            }
            #expect(error?.column == "format")
        }
    }
}
