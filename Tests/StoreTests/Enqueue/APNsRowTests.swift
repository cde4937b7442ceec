import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What an INSERT for a hub of kind `apns` refuses, and what it takes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct APNsRowTests {
    private static let handle = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    static func make() async throws -> StoreFixture {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('ios', kind => 'apns', allow_broadcast => true)")
        return store
    }

    private static func insert(
        _ columns: String, _ values: String, content: String = #"{"aps": {"alert": "Hello"}}"#, in store: StoreFixture
    ) async throws {
        try await store.database.execute(
            "INSERT INTO push.message (hub, \(raw: columns), content) VALUES ('ios', \(raw: values), \(content)::json)")
    }

    @Test(arguments: [
        ("handles, format", "'{\(handle)}', 'apple'"), ("handles, format", "'{\(handle.uppercased())}', 'apple'"),
        ("handles, format", "ARRAY[repeat('ab', 100)], 'apple'"),
        (
            "handles, format, headers",
            #"'{00}', 'apple', '{"apns-priority": "5", "apns-collapse-id": "a", "APNS-Push-Type": "alert"}'"#
        ), ("handles, format, expires_at", "'{00}', 'apple', now() + interval '1 hour'"),
    ])
    func whatAppleTakesIsTaken(columns: String, values: String) async throws {
        let store = try await Self.make()
        try await Self.insert(columns, values, in: store)
        #expect(try await store.count("due") == 1)
    }

    @Test(arguments: [
        (
            "handles, format", "'{00,01}', 'apple'",
            "has 2 handles, and one request to APNs takes exactly one device token",
            "SELECT 'ios', ARRAY[h], 'apple', '{...}' FROM unnest("
        ), ("handles, format", "'{123}', 'apple'", "not an even number of hexadecimal digits", "Apple"),
        ("handles, format", "'{fid:}', 'apple'", "not an even number of hexadecimal digits", "Apple"),
        (
            "handles, format", "ARRAY[repeat('ab', 101)], 'apple'",
            "handles[1] has 202 bytes, and a device token of APNs has at most 200", "as the app got it"
        ), ("handles", "'{00}'", "hub ios is APNs: set format to apple", #"such as {"aps": {"alert": "Hello"}}"#),
        ("handles, format", "'{00}', 'fcmv1'", "hub ios is APNs: set format to apple", #"{"aps""#),
        ("tag, format", "'World', 'apple'", "hub \"ios\" is APNs and has no tags", "Name one device token in handles."),
        (
            "broadcast, format", "true, 'apple'", "hub \"ios\" is APNs, which sends to single devices only",
            "Name one device token in handles."
        ),
        (
            "handles, format, locale", "'{00}', 'apple', 'fr'", "does not know the languages of devices",
            "Leave locale out"
        ),
        (
            "handles, format, headers",
            #"'{00}', 'apple', '{"ServiceBusNotification-Apns-Expiry": "2030-01-01T00:00Z"}'"#,
            "hub \"ios\" is APNs, which has no header \"ServiceBusNotification-Apns-Expiry\"",
            "how long a push may wait says push.message.expires_at"
        ),
        (
            "handles, format, headers", #"'{00}', 'apple', '{"apns-priority": "7"}'"#, "apns-priority", "10"
        ),
    ])
    func whatAppleRefusesIsRefusedWithAHint(
        columns: String, values: String, message: String, hint: String
    ) async throws {
        let store = try await Self.make()
        let error = await #expect(throws: DatabaseError.self) {
            try await Self.insert(columns, values, in: store)
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
        #expect(error?.sqlState == "23514")
        #expect(try await store.count("due") == 0)
    }

    /// Rows for Notification Hubs go on as before beside rows for APNs.
    @Test func rowsOfBothKindsGoIntoOneStatement() async throws {
        let store = try await Self.make()
        try await store.database.execute(
            """
            INSERT INTO push.message (hub, handles, tag, format, content, headers)
            VALUES ('ios', '{00}', NULL, 'apple', '{"aps": {"alert": "Hello"}}', NULL),
                   ('news', NULL, 'World', 'apple', '{"aps": {"alert": "Hello"}}',
                    '{"ServiceBusNotification-Apns-Expiry": "2030-01-01T00:00Z"}')
            """)
        #expect(try await store.count("due") == 2)
    }

    @Test(arguments: [
        (#"{"tags": ["World"]}"#, "", "audience.tags names tags, and hub ios is APNs and has none"),
        (#"{"expression": "a && b"}"#, "", "audience.expression names tags, and hub ios is APNs and has none"),
        (
            #"{"broadcast": true}"#, "",
            "audience.broadcast is for everybody, and hub ios is APNs, which sends to single devices only"
        ),
        (
            #"{"view": "public.phone"}"#, #""headers": {"ServiceBusNotification-Apns-Expiry": "2030-01-01T00:00Z"},"#,
            "headers hub \"ios\" is APNs, which has no header \"ServiceBusNotification-Apns-Expiry\""
        ),
    ])
    func aCampaignThatNamesWhatAppleLacksIsRefused(audience: String, more: String, message: String) async throws {
        let store = try await Self.make()
        try await store.database.execute("CREATE VIEW public.phone AS SELECT 1 AS key, '00' AS handle")
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                """
                SELECT push.create_campaign('spring', ('{"hubs": ["ios"], "format": "apple", \(raw: more) "audience": \(raw: audience),
                    "content": {"": {"aps": {"alert": "Hello"}}}}')::json)
                """)
        }
        #expect(error?.message == message)
        #expect(error?.hint?.isEmpty == false)
    }
}
