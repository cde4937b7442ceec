import Foundation
import Postgres
import PushModel
import Store
import TestSupport
import Testing
import VectorSupport

/// The INSERT checks native payloads and device handles by the rules of the planner, and names path and rule. (PushModelTests
/// reads the same cases.)
@Suite(.serialized, .timeLimit(.minutes(10))) struct NativeContentTests {
    private struct Case: Sendable {
        let id: String, format: String, content: String, headers: String?, says: String?
    }

    private static func cases() throws -> [Case] {
        func text(_ value: Any) throws -> String {
            String(
                decoding: try JSONSerialization.data(
                    withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes]), as: UTF8.self)
        }
        return try Vectors.objects("native_contents").map { item in
            Case(
                id: try #require(item["id"] as? String), format: try #require(item["format"] as? String),
                content: try text(try #require(item["content"])),
                headers: try item["headers"].flatMap { $0 is NSNull ? nil : $0 }.map(text),
                says: item["ok"] as? Bool == true ? nil : try #require(item["error_contains"] as? String))
        }
    }

    @Test func everySharedCaseIsTakenOrRefusedWithItsPath() async throws {
        let store = try await StoreFixture.make()
        let cases = try Self.cases()
        #expect(cases.count > 200)
        for item in cases {
            let error = await refusal(store, item)
            if let says = item.says {
                let text = "\(error?.message ?? "") \(error?.hint ?? "")"
                #expect(text.contains(says), "\(item.id): \(text)")
                #expect(error?.sqlState == "23514", "\(item.id)")
                #expect(error?.hint?.isEmpty == false, "\(item.id)")
                #expect(["content", "headers"].contains(error?.column), "\(item.id)")
            } else {
                #expect(error == nil, "\(item.id): \(error?.message ?? "")")
            }
        }
        #expect(try await store.count("message") == Int64(cases.count { $0.says == nil }))
    }

    private func refusal(_ store: StoreFixture, _ item: Case) async -> DatabaseError? {
        do throws(DatabaseError) {
            try await store.database.execute(
                """
                INSERT INTO push.message (hub, tag, format, content, headers)
                VALUES ('news', 'a', \(item.format), \(item.content)::json, \(item.headers)::json)
                """)
            return nil
        } catch {
            return error
        }
    }

    private func insert(_ store: StoreFixture, _ values: String) async throws(DatabaseError) {
        _ = try await store.database.execute(
            "INSERT INTO push.message (hub, tag, handles, format, locale, content_key, content, headers) VALUES \(raw: values)"
        )
    }

    @Test func aClaimBringsHandlesAndFormat() async throws {
        let store = try await StoreFixture.make()
        try await insert(store, #"('news', NULL, '{A1,A2}', 'apple', NULL, NULL, '{"aps": {"alert": "x"}}', NULL)"#)
        let message = try #require(try await store.claim()?.messages.first)
        #expect(message.target == .handles(["A1", "A2"]))
        #expect(message.format == "apple")
        #expect(try await store.lost() == [])
    }

    @Test func aThousandHandlesOfHalfAMegabyteAreTaken() async throws {
        let store = try await StoreFixture.make()
        try await insert(
            store,
            "('news', NULL, (SELECT array_agg(rpad(g::text, 524, 'x')) FROM generate_series(1, 1000) g), 'fcmv1', NULL, NULL, '{\"message\": {}}', NULL)"
        )
        #expect(try await store.count("due") == 1)
    }

    @Test(arguments: [
        ("'{}'::text[]", "apple", "NULL", "empty"), ("array_fill('AA'::text, ARRAY[1001])", "apple", "NULL", "1001"),
        ("'{AA,\"\"}'", "apple", "NULL", "[2] is empty"), ("'{AA,NULL}'", "apple", "NULL", "[2] is null"),
        ("'{a b}'", "apple", "NULL", "[1] holds a blank"), ("'{ä}'", "apple", "NULL", "ASCII"),
        ("ARRAY[E'a\\nb']", "apple", "NULL", "ASCII"), ("ARRAY[repeat('h', 4097)]", "apple", "NULL", "4097"),
        ("'{AA,A}'", "apple", "NULL", "[2] of apns is not an even number"),
        ("'{AA,h1}'", "apple", "NULL", "[2] of apns is not an even number"),
        ("'{AA}'", "windows", "NULL", "[1] of wns is not an address"),
        ("'{https:/x}'", "windows", "NULL", "[1] of wns is not an address"), ("'{{a},{b}}'", "apple", "NULL", "nested"),
        ("'{h}'", "template", "NULL", "native format"),
        ("'{h}'", "browser", "NULL", "P256DH"),
        ("'{h,i}'", "browser", #"'{"Auth": "a", "P256DH": "b"}'"#, "one at a time"),
    ]) func invalidHandlesAreRefused(_ handles: String, _ format: String, _ headers: String, _ says: String)
        async throws
    {
        let store = try await StoreFixture.untouched
        let content = ["template": "{}", "windows": #""<toast/>""#][format] ?? #"{"aps": {}}"#
        let error = await #expect(throws: DatabaseError.self) {
            try await insert(store, "('news', NULL, \(handles), '\(format)', NULL, NULL, '\(content)', \(headers))")
        }
        #expect(error?.column == "handles")
        #expect(error?.message.contains(says) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.isEmpty == false)
        #expect(error.map { "\($0.message) \($0.detail ?? "")".contains("h1") } == false, "a handle is a secret")
    }

    @Test func aBrowserNeedsItsKeys() async throws {
        let store = try await StoreFixture.make()
        let keys = #"'{"Auth": "a", "P256DH": "b"}'"#
        try await insert(store, "('news', NULL, '{https://push.example/1}', 'browser', NULL, NULL, '{}', \(keys))")
        let error = await #expect(throws: DatabaseError.self) {
            try await insert(store, "('news', 'a', NULL, 'browser', NULL, NULL, '{}', \(keys))")
        }
        #expect(error?.column == "headers")
    }

    @Test(arguments: [("'en'", "NULL", "locale"), ("NULL", "'k'", "content_key")])
    func aNativePayloadIsInOneLanguage(_ locale: String, _ key: String, _ column: String) async throws {
        let row = "'a', NULL, 'apple', \(locale), \(key), '{\"aps\": {}}', NULL)"
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) { try await insert(store, "('news', " + row) }
        #expect(error?.column == column)
        #expect(error?.hint?.isEmpty == false)
        var hub = HubSettings(name: "tagged")
        hub.localization = .tags
        _ = try await Hubs(database: store.database).register(hub)
        try await insert(store, "('tagged', " + row)
        #expect(try await store.count("due") == 1)
    }

    /// As many levels as the worker reads (`JSONNode`); PostgreSQL takes thousands.
    @Test(arguments: [(64, true), (65, false), (600, false)]) func aPayloadHasAtMost64Levels(levels: Int, isTaken: Bool)
        async throws
    {
        let store = try await StoreFixture.make()
        let inner = levels - 1
        let arrays = String(repeating: "[", count: inner) + String(repeating: "]", count: inner)
        let content = #"{"a": "[{", "aps": {}, "b": \#(arrays)}"#
        func put() async throws {
            try await insert(store, "('news', 'a', NULL, 'apple', NULL, NULL, '\(content)', NULL)")
        }
        if isTaken {
            try await put()
            let claim = try #require(try await store.claim())
            #expect(Plan(claim.messages, for: TestWorker.news, now: 0).refusals.isEmpty)
        } else {
            let error = await #expect(throws: DatabaseError.self) { try await put() }
            #expect(error?.constraint == "content_fits_its_format")
            #expect(error?.message == "push.message.content is nested deeper than 64 levels")
        }
    }
}
