import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Whatever a login that may only enqueue writes: its own statement fails, or its own messages end. No claim, plan or
/// completion fails, and no other message waits.
@Suite(.serialized, .timeLimit(.minutes(10))) struct HostileRowTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        let sql: String
        var testDescription: String { name }
    }

    /// Each is taken, or refused with a rule: never an error of our own functions.
    static let attacks = [
        Attack(
            name: "a packed megabyte by INSERT … SELECT",
            sql: """
                CREATE TEMPORARY TABLE packed AS
                SELECT ARRAY(SELECT repeat('a', 4000) || g FROM generate_series(1, 130) g) AS handles;
                INSERT INTO push.message (hub, handles, format, content)
                SELECT 'news', handles, 'fcmv1', '{"message": {}}' FROM packed, generate_series(1, 20);
                """),
        Attack(
            name: "a packed content by INSERT … SELECT",
            sql: """
                CREATE TEMPORARY TABLE packed AS SELECT json_build_object('m', repeat('x', 65000)) AS content;
                INSERT INTO push.message (hub, tag, content) SELECT 'news', 't' || g, content
                  FROM packed, generate_series(1, 300) g;
                """),
        Attack(
            name: "immortal",
            sql:
                "INSERT INTO push.message (hub, tag, content, expires_at) VALUES ('news', 'a', '{}', 'infinity')"
        ),
        Attack(
            name: "far away",
            sql:
                "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', '2199-12-31')"
        ),
        Attack(
            name: "before time",
            sql:
                "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', '-infinity')"
        ),
        Attack(
            name: "a thousand handles",
            sql: """
                INSERT INTO push.message (hub, handles, format, content)
                SELECT 'news', ARRAY(SELECT lpad(g::text, 4, '0') FROM generate_series(1, 1000) g), 'apple', '{"aps": {}}'
                  FROM generate_series(1, 50)
                """),
        Attack(
            name: "handles that begin at 5",
            sql: """
                INSERT INTO push.message (hub, handles, format, content) VALUES ('news', '[5:6]={aa,bb}', 'apple', '{"aps": {}}')
                """),
        Attack(
            name: "NUL in a content",
            sql: #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "\u0000"}')"#),
        Attack(
            name: "half a character in a template",
            sql: #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "\ud800"}')"#),
        Attack(
            name: "half a character in a payload",
            sql: #"""
                INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'a', 'apple', '{"aps": {"alert": "\ud800"}}')
                """#),
        Attack(
            name: "half a character in a header",
            sql: #"""
                INSERT INTO push.message (hub, tag, format, content, headers)
                VALUES ('news', 'a', 'apple', '{"aps": {}}', '{"apns-topic": "\udc00"}')
                """#),
        Attack(
            name: "headers that are no object",
            sql: """
                INSERT INTO push.message (hub, handles, format, content, headers)
                VALUES ('news', '{https://push.example/1}', 'browser', '{}', '[1]')
                """),
        Attack(
            name: "the format of the rules of headers",
            sql:
                "INSERT INTO push.message (hub, tag, format, content) VALUES ('news', 'a', 'header', '{}')"),
        Attack(
            name: "a content that looks erased",
            sql: """
                INSERT INTO push.message (hub, tag, format, content, headers)
                VALUES ('news', 'a', 'windows', 'null', '{"X-WNS-Type": "wns/raw"}')
                """),
        Attack(
            name: "deep JSON",
            sql: """
                INSERT INTO push.message (hub, tag, format, content, meta)
                VALUES ('news', 'a', 'apple', ('{"aps": {}, "x": ' || repeat('[', 1500) || repeat(']', 1500) || '}')::json,
                        (repeat('[', 4000) || repeat(']', 4000))::json)
                """),
        Attack(
            name: "meta that nobody can read",
            sql: #"""
                INSERT INTO push.message (hub, tag, content, meta)
                VALUES ('news', 'a', '{}', ('"' || repeat('\u0000', 1300) || '"')::json)
                """#),
        Attack(
            name: "a huge expression",
            sql: """
                INSERT INTO push.message (hub, tag, content)
                SELECT 'news', '(' || string_agg('(' || repeat('t', 119) || g || ')', ' || ') || ')', '{}'
                  FROM generate_series(1, 20) g
                """),
        Attack(
            name: "an expression of parentheses",
            sql: """
                INSERT INTO push.message (hub, tag, content)
                VALUES ('news', repeat('(', 32) || 'a' || repeat(')', 32), '{}')
                """),
        Attack(
            name: "a hundred translations",
            sql: """
                INSERT INTO push.message (hub, tag, locale, content)
                SELECT 'news', 'a', 'en-' || lpad(g::text, 3, '0'), json_build_object('m', repeat('x', 60000))
                  FROM generate_series(1, 100) g
                """),
        Attack(
            name: "a hundred and one translations",
            sql: """
                INSERT INTO push.message (hub, tag, locale, content)
                SELECT 'news', 'a', 'en-' || lpad(g::text, 3, '0'), '{}' FROM generate_series(1, 101) g
                """),
        Attack(
            name: "a hundred and one translations with a key",
            sql: """
                INSERT INTO push.message (hub, tag, locale, content, content_key)
                SELECT 'news', 'a', 'en-' || lpad(g::text, 3, '0'), '{}', 'k' FROM generate_series(1, 101) g
                """),
        Attack(
            name: "one key a thousand times",
            sql: """
                INSERT INTO push.message (hub, tag, content, dedupe_key)
                SELECT 'news', 't' || g, '{}', 'k' FROM generate_series(1, 1000) g
                """),
        Attack(
            name: "the settings of our functions",
            sql: """
                SELECT set_config('push.unknown_hub', 'x', false), set_config('push.settled', 'on', false);
                SELECT set_config('push.entries', '1,2,3', false), set_config('push.erasing', 'on', false);
                INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a', 'en', '{}');
                """),
    ]

    @Test(arguments: attacks) func nobodyElseNoticesAnAttack(_ attack: Attack) async throws {
        let store = try await StoreFixture.make()
        let backend = try await store.test.login(as: "push_enqueue").database
        do throws(DatabaseError) {
            try await backend.script("SET jit = off; \(attack.sql)")
        } catch {
            #expect(error.sqlState == "23514", "\(error)")
            #expect(error.hint?.isEmpty == false, "\(error)")
        }
        await backend.close()
        let good = try await store.insert(3)

        var seen: Set<Int64> = []
        var position = DuePosition.start
        for _ in 0..<50 {
            let claim = try await store.queue.claim(
                hub: store.hub, priority: .normal, after: position, limit: 1000)
            guard let claim else { break }
            position = claim.position
            let bytes = claim.messages.reduce(0) { total, message in
                guard case .handles(let handles) = message.target else {
                    return total + message.content.utf8.count
                }
                return total + message.content.utf8.count + handles.reduce(0) { $0 + $1.utf8.count }
            }
            #expect(bytes <= 8_000_000)
            #expect(claim.messages.count <= 5000)
            let plan = Plan(claim.messages, for: TestWorker.news, now: 0)
            let planned = Set(plan.posts.flatMap(\.messages) + plan.refusals.map(\.message))
            #expect(
                planned == Set(claim.messages.map(\.id)), "every message is in a post or has a refusal")
            if !plan.posts.isEmpty { try await store.intend(plan.posts.map(\.messages), under: claim.id) }
            let answered = plan.posts.indices.map {
                Completion.Answered.accepted(claim.id * 10_000 + Int64($0) + 1, plan.posts[$0].messages)
            }
            let left = plan.refusals.map {
                Completion.Left(
                    claim: claim.id, message: $0.message, outcome: MessageOutcome($0.status, $0.reason))
            }
            try await store.complete(answered, left: left, finished: [claim.id])
            seen.formUnion(claim.messages.map(\.id))
        }
        #expect(seen.isSuperset(of: good), "the messages of others are sent")
        #expect(try await store.lost() == [])
    }

    @Test func aKeyOfAnotherTenantIsUsedUpOnlyWhereTenantsShareKeys() async throws {
        for isSeparate in [false, true] {
            var hub = TestWorker.news
            hub.keysPerTenant = isSeparate
            let store = try await StoreFixture.make(hub)
            func enqueue(_ tenant: String?, _ key: String, translated: Bool = false) async throws -> Bool {
                var message = NewMessage(hub: "news", tag: "World", content: #"{"message": "hi"}"#)
                message.tenant = tenant
                message.dedupeKey = key
                return try await store.messages.enqueue([message])[0].inserted
            }
            #expect(try await enqueue("mallory", "order-1"))
            #expect(try await enqueue("alice", "order-1") == isSeparate)
            #expect(try await enqueue("alice", "order-1") == false)
            #expect(try await enqueue(nil, "order-1") == isSeparate)
        }
    }

    @Test func contentKeysAreSeparateToo() async throws {
        var hub = TestWorker.news
        hub.keysPerTenant = true
        let store = try await StoreFixture.make(hub)
        for tenant in ["alice", "mallory"] {
            for locale in ["en", "fr"] {
                try await store.database.execute(
                    """
                    INSERT INTO push.message (hub, tag, locale, content, content_key, tenant)
                    VALUES ('news', 'World', \(locale), '{"message": "hi"}', 'article', \(tenant))
                    """)
            }
        }
        try await store.settle(key: "article")
        let claim = try #require(try await store.claim())
        #expect(Set(claim.messages.map(\.lead)).count == 2)
        #expect(claim.messages.count == 4)
    }

    @Test func aBackendReadsNoKeysAndGetsItsId() async throws {
        let store = try await StoreFixture.make()
        let backend = try await store.test.login(as: "push_enqueue").database
        let id = try await backend.query(
            """
            INSERT INTO push.message (hub, tag, content, dedupe_key) VALUES ('news', 'a', '{}', 'mine') RETURNING id
            """
        ) { rows in try rows.first { row in try row.int64() } }
        #expect(id != nil)
        for column in ["dedupe_key", "content_key", "tag", "tenant", "content", "handles"] {
            let error = await #expect(throws: DatabaseError.self) {
                try await backend.execute("SELECT \(raw: column) FROM push.message")
            }
            #expect(error?.sqlState == "42501", "\(column)")
        }
        await backend.close()
    }
}
