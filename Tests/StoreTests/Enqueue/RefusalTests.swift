import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A bad value fails the backend's own INSERT with column, value, limit and a hint, and nothing is enqueued.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RefusalTests {
    struct Bad: Sendable, CustomTestStringConvertible {
        let column: String
        let values: String
        var state = "23514"
        var says = ""
        var testDescription: String { "\(column): \(values.prefix(60))" }
    }

    static let rows: [Bad] = [
        Bad(
            column: "hub", values: "(hub, tag, content) VALUES ('nowhere', 'a', '{}')", state: "23503", says: "nowhere"),
        Bad(column: "tag", values: "(hub, content) VALUES ('news', '{}')", says: "exactly one"),
        Bad(
            column: "tag", values: "(hub, tag, broadcast, content) VALUES ('news', 'a', true, '{}')",
            says: "exactly one"),
        Bad(
            column: "tag", values: "(hub, tag, handles, content) VALUES ('news', 'a', '{x}', '{}')", says: "exactly one"
        ),
        Bad(column: "broadcast", values: "(hub, broadcast, content) VALUES ('news', true, '{}')", says: "everyone"),
        Bad(
            column: "format", values: "(hub, tag, format, content) VALUES ('news', 'a', 'carrier pigeon', '{}')",
            says: "pigeon"),
        Bad(
            column: "content_key", values: "(hub, tag, content_key, content) VALUES ('news', 'a', '', '{}')",
            says: "is empty"),
        Bad(
            column: "dedupe_key",
            values: "(hub, tag, dedupe_key, content) VALUES ('news', 'a', repeat('k', 201), '{}')", says: "201"),
        Bad(
            column: "priority", values: "(hub, tag, priority, content) VALUES ('news', 'a', 3, '{}')",
            says: "3 is not 0, 1 or 2"),
        Bad(column: "priority", values: "(hub, tag, priority, content) VALUES ('news', 'a', -1, '{}')", says: "-1"),
        Bad(
            column: "send_at", values: "(hub, tag, send_at, content) VALUES ('news', 'a', 'infinity', '{}')",
            says: "infinity"),
        Bad(
            column: "send_at", values: "(hub, tag, send_at, content) VALUES ('news', 'a', '1999-12-31', '{}')",
            says: "1999"),
        Bad(
            column: "expires_at",
            values: "(hub, tag, expires_at, content) VALUES ('news', 'a', now() - interval '1 s', '{}')"),
        Bad(
            column: "expires_at",
            values: "(hub, tag, send_at, expires_at, content) VALUES ('news', 'a', '2100-01-01', '2100-01-01', '{}')",
            says: "2100"),
        Bad(
            column: "on_doubt", values: "(hub, tag, on_doubt, content) VALUES ('news', 'a', 'maybe', '{}')",
            says: "maybe"),
        Bad(
            column: "campaign", values: "(hub, tag, campaign, content) VALUES ('news', 'a', repeat('c', 201), '{}')",
            says: "201"),
        Bad(
            column: "run", values: "(hub, tag, run, content) VALUES ('news', 'a', repeat('c', 201), '{}')", says: "201"),
        Bad(
            column: "tenant", values: "(hub, tag, tenant, content) VALUES ('news', 'a', repeat('c', 201), '{}')",
            says: "201"),
        Bad(column: "traceparent", values: "(hub, tag, traceparent, content) VALUES ('news', 'a', '00-1-2-3', '{}')"),
        // https://www.w3.org/TR/trace-context/#traceparent-header: version ff is invalid, and so are ids of zeros.
        Bad(
            column: "traceparent",
            values: "(hub, tag, traceparent, content) "
                + "VALUES ('news', 'a', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '{}')",
            says: "ff-0af"),
        Bad(
            column: "traceparent",
            values: "(hub, tag, traceparent, content) "
                + "VALUES ('news', 'a', '00-00000000000000000000000000000000-b7ad6b7169203331-01', '{}')",
            says: "00-000"),
        Bad(
            column: "traceparent",
            values: "(hub, tag, traceparent, content) "
                + "VALUES ('news', 'a', '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01', '{}')",
            says: "00-0af"),
        Bad(
            column: "meta", values: "(hub, tag, meta, content) VALUES ('news', 'a', to_json(repeat('m', 8200)), '{}')",
            says: "8202"),
        Bad(column: "id", values: "(id, hub, tag, content) VALUES (7, 'news', 'a', '{}')", state: "428C9"),
    ]

    @Test(arguments: rows) func aBadRowIsRefused(_ bad: Bad) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("INSERT INTO push.message \(raw: bad.values)")
        }
        let refusal = try #require(error)
        expect(refusal, bad.state, bad.column == "id" ? nil : bad.column, bad.says)
        #expect(try await store.count("message") == 0)
        #expect(try await store.count("due") == 0)
    }

    static let contents: [(text: String, says: String)] = [
        ("7", "number"), ("null", "null"), ("true", "boolean"), (#""text""#, "string"), (#"["a"]"#, "array"),
        ("[]", "array"),
        (#"{"badge": 3}"#, "has a number as"), (#"{"a": null}"#, "has null as"), (#"{"a": true}"#, "has a boolean as"),
        (#"{"a": {"b": "c"}}"#, "has an object as"),
        (#"{"a": ["b"]}"#, "has an array as"), (#"{"a": "b", "c": {}}"#, "object"), (#"{"a" :[]}"#, "array"),
        ("{\"a\"\n:\t{}}", "object"),
        (#"{"": "x"}"#, "property"), (#"{"two words": "x"}"#, "two words"), (#"{"a-b": "x"}"#, "a-b"),
        (#"{"ä": "x"}"#, "ä"),
        (#"{"a": "x", "$b": "y"}"#, "$b"), (#"{"a\r\nb": "x"}"#, "property"),
        (#"{"\u0041": "x", "a\u0000": "x"}"#, "NUL"),
        (#"{"a": "\uD83D"}"#, "half a surrogate pair"), (#"{"a": "\ude00 x"}"#, "half a surrogate pair"),
        (#"{"a": "\ud83d\u0041"}"#, "half a surrogate pair"),
        (#"{"a":"\": 1, ", "b": 1}"#, "number"), (#"{"a": "\\", "b": 1}"#, "number"),
        ("{\"a\": \"" + String(repeating: "x", count: 65_530) + "\"}", "65,536"),
    ]

    @Test(arguments: contents) func aContentMustBeAFlatObjectOfStrings(
        _ content: (text: String, says: String)
    ) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', \(content.text)::json)")
        }
        expect(try #require(error), "23514", "content", content.says)
        #expect(try await store.count("message") == 0)
    }

    static let goodContents: [String] = [
        "{}", " { } ", #"{"message":"hi"}"#, #"{ "a" : "b" , "c_1" : "d" }"#, "{\n\t\"a\": \"b\"\r\n}",
        #"{"a": "quote \" comma , brace { : 12:30"}"#, #"{"a": "\\"}"#, #"{"a": "\u00e4 \ud83d\ude00"}"#,
        #"{"a": "ü, 日本"}"#,
        #"{"a": "Hi,", "b": "{", "c": ": x"}"#,
        "{\"" + String(repeating: "n", count: 120) + "\": \"" + String(repeating: "x", count: 65_000) + "\"}",
    ]

    @Test(arguments: goodContents) func aFlatObjectOfStringsIsStoredUnchanged(_ content: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', \(content)::json)")
        #expect(try await store.test.texts("SELECT content FROM push.message") == [content])
        #expect(try await store.claim()?.messages.map(\.content) == [content])
    }

    static let headers: [(text: String, says: String)] = [
        (#"[]"#, "array"), (#""apns-topic""#, "string"), (#"{"apns-topic": 1}"#, "number"),
        (#"{"apns-topic": ""}"#, "blank"),
        (#"{"ServiceBusNotification-Tags": "everyone"}"#, "ServiceBusNotification-Tags"),
        (#"{"Authorization": "x"}"#, "Authorization"), (#"{"apns-topic: x\r\nfoo": "x"}"#, "not a header"),
        (#"{"apns-topic": "a\r\nServiceBusNotification-Tags: b"}"#, "apns-topic"),
        (#"{"apns-topic": "a\nb"}"#, "apns-topic"),
        (#"{"apns-topic": "a\u0000b"}"#, "NUL"), (#"{"apns-topic": "a\tb"}"#, "apns-topic"),
        (#"{"apns-topic": "ä"}"#, "apns-topic"),
        (#"{"apns-topic": "a", "APNS-Topic": "b"}"#, "twice"),
        ("{\"apns-topic\": \"" + String(repeating: "x", count: 1025) + "\"}", "1,024"),
        (
            "{\"apns-a\": \"" + Array(repeating: "x", count: 5).joined(separator: String(repeating: " ", count: 1100))
                + "\"}", "bytes"
        ),
    ]

    @Test(arguments: headers) func aForbiddenHeaderIsRefused(_ header: (text: String, says: String)) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                "INSERT INTO push.message (hub, tag, content, headers) VALUES ('news', 'a', '{}', \(header.text)::json)"
            )
        }
        expect(try #require(error), "23514", "headers", header.says)
    }

    @Test(arguments: [
        "00-00000000000000000000000000000001-0000000000000001-00",
        "fe-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff",
        "0f-10000000000000000000000000000000-1000000000000000-01",
    ]) func aTraceContextOfAnyOtherVersionIsTaken(_ trace: String) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, traceparent, content) VALUES ('news', 'a', \(trace), '{}')")
        #expect(TraceParent(trace) != nil)
        #expect(try await store.count("due") == 1)
    }

    @Test func headersOfTheListAreTaken() async throws {
        let store = try await StoreFixture.make()
        let json =
            #"{"apns-topic": "com.example.app", "X-WNS-Type": "wns/toast", "ServiceBusNotification-Apns-Expiry": "2030-01-01"}"#
        try await store.database.execute(
            "INSERT INTO push.message (hub, tag, content, headers) VALUES ('news', 'a', '{}', \(json)::json)")
        #expect(try await store.claim()?.messages.map(\.headers) == [json])
    }

    @Test func oneBadRowRefusesItsWholeStatement() async throws {
        let store = try await StoreFixture.make()
        await #expect(throws: DatabaseError.self) {
            try await store.database.execute(
                "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{}'), ('nowhere', 'b', '{}'), ('news', 'c', '{}')"
            )
        }
        #expect(try await store.count("message") == 0)
        #expect(try await store.count("due") == 0)
    }

    @Test func anUpdateIsRefusedWithAHint() async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("UPDATE push.message SET tag = 'b'")
        }
        #expect(error?.sqlState == "0A000")
        #expect(error?.hint?.contains("push.cancel") == true)
    }

    private func expect(_ error: DatabaseError, _ state: String, _ column: String?, _ says: String) {
        #expect(error.sqlState == state)
        #expect(error.hint?.isEmpty == false)
        if let column { #expect(error.column == column) }
        if !says.isEmpty { #expect(error.message.contains(says), "\(error.message)") }
    }

    /// However long a value is, its end shows: three dots and a closing quotation mark.
    @Test(arguments: [
        "INSERT INTO push.message (hub, tag, content) VALUES ('news', repeat('a', 121), '{}')",
        "INSERT INTO push.message (hub, tag, content) VALUES (repeat('a', 121), 'a', '{}')",
        "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'a', repeat('a', 121), '{}')",
        "INSERT INTO push.message (hub, tag, on_doubt, content) VALUES ('news', 'a', repeat('a', 121), '{}')",
        "SELECT push.put_device('news', repeat('a', 300), 'apns', '00')",
        "SELECT push.put_device('news', 'd', repeat('a', 121), '00')", "SELECT push.ended_since(repeat('a', 121))",
        "SELECT push.check(hub => repeat('a', 121))", "SELECT push.find_messages(status => repeat('a', 121))",
    ]) func aValueThatIsCutKeepsItsQuotationMarks(_ statement: String) async throws {
        let store = try await StoreFixture.make()
        let error = await #expect(throws: DatabaseError.self) { try await store.database.execute("\(raw: statement)") }
        #expect(error?.message.contains(#/"a{60,120}\.\.\."/#) == true, "\(error?.message ?? "")")
    }
}
