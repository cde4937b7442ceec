import Foundation
import Postgres
import PushModel
import Synchronization
import TestSupport
import Testing

@testable import Store

/// What each role may do (roles.sql), statement by statement, with logins that have no other right.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RoleTests {
    /// A statement and the roles that may run it.
    struct Right: Sendable, CustomTestStringConvertible {
        let roles: Set<String>
        let sql: String

        init(_ roles: Set<String>, _ sql: String) {
            self.roles = roles
            self.sql = sql
        }

        var testDescription: String { sql }
    }

    static let enqueue = "push_enqueue", register = "push_register", worker = "push_worker", monitor = "push_monitor",
        operators = "push_operator"
    static let all: Set = [enqueue, register, worker, monitor, operators]
    static let watching: Set = [monitor, operators]

    /// docs/storage.md, "Roles", and what goes beyond it. Each statement runs in a transaction that is rolled back.
    static let rights: [Right] = [
        // what a backend writes
        Right([enqueue], "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{}')"),
        Right([enqueue], "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{}') RETURNING id"),
        Right(
            [enqueue],
            "INSERT INTO push.message (hub, tag, content) SELECT 'news', 'a' || g, '{}' FROM generate_series(1, 3) g"),
        Right(
            [enqueue],
            """
            INSERT INTO push.message (hub, tag, locale, content, format, headers, send_at, expires_at, priority, on_doubt, pack, campaign, run,
                                      tenant, traceparent, meta, broadcast, handles, content_key, dedupe_key)
            VALUES ('news', 'World', 'en', '{"title": "x"}', 'template', '{"apns-priority": "5"}', now(), now() + interval '1 h', 1, 'hold', true,
                    'c', 'r', 't', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '{}', false, NULL, NULL, NULL)
            """),
        Right([enqueue], "SELECT * FROM push.enqueue('news', 'World', '{\"title\": \"x\"}')"),
        Right([enqueue], "SELECT push.wake_up()"),
        Right([enqueue], "SELECT push.cancel_own(1)"),
        Right([enqueue], "SELECT push.cancel_own('{1}')"),
        Right([enqueue], "SELECT push.cancel_own('k', 'news')"),
        Right([enqueue], "SELECT push.retry_own('{1}')"),
        Right([enqueue], "SELECT push.warm()"),
        Right([enqueue, monitor, operators], "SELECT id FROM push.message"),
        // Keys of others are order numbers and mail addresses.
        Right([], "SELECT dedupe_key FROM push.message"),
        Right([], "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{}') RETURNING dedupe_key"),
        // what a backend registers
        Right([register], "SELECT push.put_device('news', 'a', 'apns', '00', tags => '{World}', user_id => '17')"),
        Right([register], "SELECT push.put_device('news', 'a', 'apns', '00', templates => '{}')"),
        Right([register], "SELECT push.put_device('news', 'a', 'apns', '00', templates => '{}'::json)"),
        Right([register], "SELECT push.put_device('news', 'a', 'apns', '00', templates => '{}'::jsonb)"),
        Right([register], "SELECT push.patch_device('news', 'a', add_tags => '{World}')"),
        Right([register], #"SELECT push.patch_device('news', 'a', templates => '{"a": null}'::jsonb)"#),
        Right([register], "SELECT push.drop_device('news', 'a')"),
        Right([register, monitor, operators], "SELECT * FROM push.device_status WHERE hub = 'news' AND device = 'a'"),
        Right([register], "SELECT * FROM push.gone_targets WHERE arrival > 0"),
        Right([register], "SELECT * FROM push.gone_targets_after(NULL, 'news')"),
        Right(watching, "SELECT * FROM push.device_backlog"),
        Right(watching, "SELECT * FROM push.lost_changes"),
        Right(watching, "SELECT * FROM push.find_changes('news', 'a')"),
        Right([operators], "SELECT push.cancel_devices('news')"),
        Right([worker], "SELECT * FROM push_worker.device_backlog_v1()"),
        Right([worker], "SELECT push_worker.look_devices_v1('{1}', '{-infinity}', '{0}', '{60}')"),
        Right([worker], "SELECT * FROM push_worker.claim_devices_v1(1, '-infinity', 0, 60, 10, 1, 1)"),
        Right(
            [worker],
            """
            SELECT push_worker.complete_devices_v1(1, 1, '{1}', '{1}', '{1}', '{applied}', '{NULL}', '{0}', '{200}', '{t}',
                                            '{NULL}', '{NULL}')
            """),
        Right([worker], "SELECT push_worker.close_devices_v1(1, 1, '429')"),
        Right([worker], "SELECT push_worker.return_devices_v1(1, 1)"),
        Right([], "SELECT push_internal.change_device('news', 'a', 'drop', '{}', NULL)"),
        Right([], "SELECT push_internal.forget_devices(now(), 1)"),
        // what they say holds handles and users
        Right([], "SELECT * FROM push.installation_change"),
        Right([], "SELECT id FROM push.installation_change"),
        Right([], "SELECT * FROM push.installation_due"),
        Right([], "SELECT * FROM push.installation_claim"),
        Right([], "SELECT * FROM push.installation_result"),
        Right([], "SELECT * FROM push.device"),
        Right([], "SELECT nextval('push.installation_change_id_seq')"),
        Right([], "SELECT nextval('push.installation_claim_id')"),
        // what it may not write
        Right(
            [],
            "INSERT INTO push.message (id, hub, tag, content) OVERRIDING SYSTEM VALUE VALUES (1, 'news', 'World', '{}')"
        ),
        Right([], "INSERT INTO push.message (created_at, hub, tag, content) VALUES (now(), 'news', 'World', '{}')"),
        Right([], "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'World', '{}') RETURNING tag"),
        Right([], "UPDATE push.message SET tag = 'x'"),
        Right([], "DELETE FROM push.message"),
        Right([], "TRUNCATE push.message"),
        Right([], "SELECT content FROM push.message"),
        Right([], "SELECT * FROM push.message"),
        // the tables of the protocol: even the worker only calls functions
        Right([], "SELECT FROM push.due FOR UPDATE SKIP LOCKED"),
        Right([], "INSERT INTO push.due (due_at, id, hub, priority) VALUES (now(), 1, 1, 1)"),
        Right([], "SELECT * FROM push.post"),
        Right([], "SELECT * FROM push.answer"),
        Right([], "SELECT * FROM push.result"),
        Right([], "SELECT * FROM push.claim"),
        Right([], "SELECT nextval('push.claim_id')"),
        Right([], "SELECT FROM push.lock FOR UPDATE"),
        Right([], "SELECT * FROM push.schema_file"),
        Right([], "UPDATE push.post SET target = NULL"),
        Right([], "DELETE FROM push.result"),
        Right([], "DELETE FROM push.post"),
        Right([], "UPDATE push.result SET status = 'accepted'"),
        Right([], "SELECT setval('push.claim_id', 1)"),
        Right([worker, monitor, operators], "SELECT * FROM push.check()"),
        Right([operators], "SELECT * FROM push.audit"),
        Right([], "DELETE FROM push.audit"),
        Right([], "CREATE TABLE push.mine ()"),
        Right([], "DROP TABLE push.due"),
        Right([], "SELECT push.grant_roles()"),
        // what the daemon calls
        Right([worker], "SELECT * FROM push_worker.claim_v1(1, 1::smallint, NULL, NULL, 60, 10, 1, 1)"),
        Right([worker], "SELECT push_worker.register_v1('host/1', 'test', 15)"),
        Right([worker], "SELECT push_worker.begin_timeline_v1()"),
        Right([worker], "SELECT push_worker.hold_drain_v1('drain', 1, 15)"),
        Right([worker], "SELECT push_worker.next_due_v1('{news}', 60), push_worker.count_left_v1('{news}', 60)"),
        Right([worker], "SELECT * FROM push_worker.rescue_v1(999)"),
        Right([worker], "SELECT push_worker.close_gate_v1(1, 1)"),
        Right([worker], "SELECT push_worker.slow_down_v1(1, 0, 100, 0, '429')"),
        Right([worker], "SELECT push_worker.open_breaker_v1(1, 1, 'refused')"),
        Right([worker], "SELECT push_worker.close_breaker_v1(1)"),
        Right([worker, operators], "SELECT push.make_partitions()"),
        Right([operators], "SELECT push.empty_default_partitions()"),
        // what people look at
        Right(watching, "SELECT * FROM push.message_status"),
        Right(watching, "SELECT * FROM push.find_message(1)"),
        Right(watching, "SELECT * FROM push.backlog"),
        Right(watching, "SELECT * FROM push.in_doubt"),
        Right(watching, "SELECT * FROM push.hub_health"),
        Right(watching, "SELECT * FROM push.workers"),
        Right(watching, "SELECT * FROM push.throughput"),
        Right(watching, "SELECT * FROM push.lost"),
        Right(all, "SELECT max(release) FROM push.schema()"),
        Right([], "SELECT EXISTS (SELECT FROM push.message_default)"),
        Right([worker, monitor, operators], "SELECT push.filled_defaults()"),
        Right([worker, monitor, operators], "SELECT push.missing_partitions()"),
        Right([worker, monitor, operators], "SELECT push.incidents()"),
        // what people do
        Right(watching, "SELECT * FROM push.recent_failures"),
        Right(watching, "SELECT * FROM push.snapshot_holders"),
        Right(watching, "SELECT * FROM push.lock_waits"),
        Right(watching, "SELECT * FROM push.eta()"),
        Right([operators], "SELECT push.cancel((SELECT max(id) FROM push.message))"),
        Right([operators], "SELECT push.cancel_campaign('spring')"),
        Right([operators], "SELECT push.retry('{1}'::bigint[])"),
        Right([operators], "SELECT push.retry_failed('news', reason => 'expired')"),
        Right([operators], "SELECT push.resolve_doubts('news', 'resend')"),
        Right([operators], "SELECT push.cancel_hub('news')"),
        Right([operators], "SELECT push.erase('{1}')"),
        Right([operators], "SELECT push.open_gate('news')"),
        Right([operators], "SELECT push.set_rate('news', 1)"),
        Right([operators], "SELECT push.add_hub('sport')"),
        Right(
            [operators],
            """
            SELECT push.register_hub('{"name": "more", "kind": "notification-hubs", "localization": "properties",
                "languages": {}, "onDoubt": "hold", "allowBroadcast": false, "expireAfterSeconds": 60,
                "settleMilliseconds": 500, "contentKeyHours": 24, "dedupeHours": 168}')
            """),
        Right([operators], "SELECT push.rescue((SELECT min(id) FROM push.workers), force => true)"),
        Right([operators], "SELECT push.purge('30 days')"),
        Right([], "SELECT push_internal.count_results('{}', '{}', '{}', '{}')"),
        Right([], "SELECT push_internal.take_lock('keys')"),
        Right(
            [],
            "SELECT push_internal.end_messages_without_pointer('{1}', 'cancelled', 'cancelled_by_caller', '{x}', now())"
        ),
        Right([], "SELECT push_internal.require_timeline()"),
        Right([worker], "SELECT push_worker.forget_keys_v1()"),
        Right([operators], "SELECT push.resolve('{1}'::bigint[], 'rejected')"),
        Right([operators], "SELECT push.pause_hub('news')"),
        Right([operators], "SELECT push.resume_hub('news')"),
    ]

    @Test(arguments: all.sorted()) func eachRoleMayDoItsWorkAndNothingElse(role: String) async throws {
        let store = try await StoreFixture.make()
        try await store.insert()
        let database = try await store.test.login(as: role).database
        for right in Self.rights {
            let state = try await Self.attempt(right.sql, on: database)
            #expect(state == (right.roles.contains(role) ? nil : "42501"), "\(right.sql)")
        }
        await database.close()
    }

    /// Runs a statement and rolls it back.
    ///
    /// - Returns: its SQLSTATE; nil: it succeeded.
    private static func attempt(_ sql: String, on database: Database) async throws -> String? {
        do {
            try await database.withTransaction { connection in
                try await connection.execute("\(raw: sql)")
                throw RolledBack()
            }
            return nil
        } catch is RolledBack {
            return nil
        } catch let error as DatabaseError {
            return error.sqlState ?? error.message
        }
    }

    private struct RolledBack: Error {}

    @Test func aBackendMayCopyIntoTheTable() async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: Self.enqueue)
        let errors = try await Psql(conninfo: login.conninfo).run(
            "COPY push.message (hub, tag, content) FROM STDIN;\nnews\tWorld\t{\"title\": \"x\"}\n\\.\n")
        #expect(errors == "")
        #expect(try await store.count("due") == 1)
    }

    @Test func aBackendGetsTheSameRefusalsAsTheOwner() async throws {
        let store = try await StoreFixture.make()
        let backend = try await store.test.login(as: Self.enqueue).database
        for (values, column) in [
            ("'news', 'a b', '{}'", "tag"), ("'nowhere', 'a', '{}'", "hub"), ("'news', 'a', '{\"a\": 1}'", "content"),
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await backend.execute("INSERT INTO push.message (hub, tag, content) VALUES (\(raw: values))")
            }
            #expect(error?.hint?.isEmpty == false, "\(column)")
            #expect(error?.message.contains("push.message.\(column)") == true, "\(error?.message ?? "")")
        }
        await backend.close()
    }

    @Test func aWholeWorkerRunsUnderItsRole() async throws {
        let owner = try await TestWorker.make()
        try await owner.enqueue(50)
        _ = try await Messages(database: owner.test.database).enqueue(
            ["en", "fr"].map {
                var message = NewMessage(hub: "news", tag: "World", content: #"{"title": "hi"}"#)
                message.locale = $0
                return message
            })
        for locale in ["en", "fr"] {  // gathered by the worker
            try await owner.test.database.execute(
                """
                INSERT INTO push.message (hub, tag, content, locale, content_key, dedupe_key)
                VALUES ('news', 'World', '{"title": "hi"}', \(locale), 'key', 'once-' || \(locale))
                """)
        }
        let worker = try await owner.login(as: Self.worker)
        try await worker.drain()
        #expect(try await owner.statuses() == "accepted 54")
        #expect(try await worker.test.number("SELECT push_worker.forget_keys_v1()") == 0)
        #expect(try await owner.lost() == [])
        #expect(try await owner.test.number("SELECT count(*) FROM push.worker") == 0)
    }

    @Test func aRescueRunsUnderTheWorkerRole() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2, onDoubt: "resend")
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]]], under: claim.id)
        let database = try await store.test.login(as: Self.worker).database
        let found = try await Workers(database: database).rescue(store.queue.worker)
        #expect(found == Workers.Rescued(claims: 1, returned: 2, doubted: 1))
        #expect(try await store.lost() == [])
        await database.close()
    }

    @Test func monitorAndOperatorCanRunTheCommandsStatements() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        let watcher = try await store.test.login(as: Self.monitor).database
        try await Schema(database: watcher).require()
        #expect(try await SystemStatus.read(from: watcher).hubs.map(\.due) == [3])
        #expect(try await Messages(database: watcher).find(MessageSearch(limit: 10)).count == 3)
        #expect(try await Messages(database: watcher).status(of: ids[0])?.status == "due")
        #expect(try await Doubts(database: watcher).list(hub: nil, limit: 10) == [])
        #expect(try await Schema(database: watcher).verify() == [])
        let error = await #expect(throws: DatabaseError.self) { try await Messages(database: watcher).cancel(ids[0]) }
        #expect(error?.sqlState == "42501")
        await watcher.close()
        let person = try await store.test.login(as: Self.operators)
        #expect(try await Messages(database: person.database).cancel(ids[0]) == "cancelled")
        try await Hubs(database: person.database).pause("news")
        #expect(try await Estimate.read(from: person.database, hub: nil, campaign: nil).map(\.pending) == [2])
        #expect(
            try await store.test.texts("SELECT DISTINCT who FROM push.audit") == ["\(store.test.name)_push_operator"])
        await person.database.close()
    }

    @Test func otherRolesMayNotEnterTheSchema() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script("CREATE ROLE \(store.test.name)_nobody LOGIN")
        let stranger = Database(
            DatabaseSettings(url: store.test.conninfo + " user=\(store.test.name)_nobody", maximumConnections: 1))
        for sql in [
            "SELECT * FROM push.message", "SELECT push.enqueue('news', 'a', '{}')", "SELECT * FROM push.backlog",
        ] {
            #expect(try await Self.attempt(sql, on: stranger) == "42501", "\(sql)")
        }
        await stranger.close()
    }

    @Test func withoutCreateRoleTheSchemaIsWholeAndANoticeHelps() async throws {
        let test = try await TestDatabase.make(migrated: false)
        let owner = "\(test.name)_owner"
        try await test.database.script("CREATE ROLE \(owner) LOGIN; GRANT CREATE ON DATABASE \(test.name) TO \(owner)")
        let hints = Hints()
        let database = Database(
            DatabaseSettings(
                url: test.conninfo + " user=\(owner)", maximumConnections: 1,
                onNotice: { notice in hints.all.withLock { $0.append(notice.hint ?? "") } }))
        // Other tests have created the roles of this server. These names do not exist.
        let files = SchemaFile.all.map { file in
            SchemaFile(file.path, sql: file.sql.replacing("push_", with: "\(test.name)_absent_"))
        }
        let schema = Schema(database: database, files: files)
        #expect(try await schema.migrate(appVersion: "test").count == SchemaFile.all.count)
        let hint = hints.all.withLock { $0 }.first { $0.contains("CREATE ROLE") } ?? ""
        #expect(hint.contains("CREATE ROLE \(test.name)_absent_enqueue NOLOGIN;"))
        #expect(hint.contains("SELECT push.grant_roles()"))

        // A superuser runs what the hint says.
        let commands = hint.split(separator: ": ", maxSplits: 1)[1].components(separatedBy: " Then run")[0]
        try await test.database.script(commands)
        try await database.execute("SELECT push.grant_roles()")
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM pg_roles
                 WHERE rolname IN (\(test.name + "_absent_enqueue")) AND has_column_privilege(rolname, 'push.message', 'tag', 'INSERT')
                """) == 1)

        // Those of a console take effect when one of them is set, even if somebody made the role otherwise.
        let console = "\(test.name)_absent_console"
        #expect(hint.contains("CREATE ROLE \(console) NOLOGIN NOINHERIT;"))
        try await test.database.script("ALTER ROLE \(console) INHERIT")
        try await database.execute("SELECT push.grant_roles()")
        #expect(hints.all.withLock { $0 }.last?.contains("ALTER ROLE \(console) NOINHERIT;") == true)
        try await test.database.execute("SELECT push.grant_roles()")
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(' ', r.rolinherit, (SELECT count(*) FROM pg_auth_members m WHERE m.member = r.oid))
                  FROM pg_roles r WHERE r.rolname = \(console)
                """) == ["f 4"])
        await database.close()
    }

    /// The owner of docs/install.md, no superuser: with CREATEROLE it needs nobody, without it is told what to run.
    @Test(arguments: [true, false]) func anOwnerWhoIsNoSuperuserGivesAwayWhatReadsViews(mayMakeRoles: Bool) async throws
    {
        let test = try await TestDatabase.make(migrated: false)
        let owner = "\(test.name)_owner"
        try await test.database.script(
            "CREATE ROLE \(owner) LOGIN \(mayMakeRoles ? "CREATEROLE" : ""); GRANT CREATE ON DATABASE \(test.name) TO \(owner)"
        )
        let hints = Hints()
        let database = Database(
            DatabaseSettings(
                url: test.conninfo + " user=\(owner)", maximumConnections: 1,
                onNotice: { notice in hints.all.withLock { $0.append(notice.hint ?? "") } }))
        _ = try await Schema(database: database).migrate(appVersion: "test")
        if !mayMakeRoles {
            #expect(try await RoleAccess.read(from: database).audiencesBelongTo == owner)
            let wanted = "GRANT push_audience TO \(owner);"
            let hint = try #require(hints.all.withLock { $0 }.first { $0.contains(wanted) })
            #expect(hint.hasSuffix("\(wanted) Then run as the owner: SELECT push.grant_roles();"), "\(hint)")
            try await test.database.script(wanted)
            try await database.execute("SELECT push.grant_roles()")
        }
        #expect(try await RoleAccess.read(from: database).audiencesBelongTo == nil)
        // It reads a view, once that is granted, and says what to grant until then.
        try await database.script(
            "CREATE SCHEMA marketing; CREATE VIEW marketing.\"All\" AS SELECT 1 AS key, 'user:1' AS tag")
        _ = try await Hubs(database: database).register(TestWorker.news)
        let campaigns = CampaignStore(database: database)
        let spec = #"{"hubs": ["news"], "audience": {"view": "marketing.\"All\""}, "content": {"": {"a": "b"}}}"#
        let blind = await #expect(throws: DatabaseError.self) {
            try await campaigns.create("x", spec: spec, draft: false)
        }
        #expect(
            blind?.hint == "GRANT USAGE ON SCHEMA marketing TO push_audience; "
                + #"GRANT SELECT ON marketing."All" TO push_audience;"#)
        try await database.script("GRANT USAGE ON SCHEMA marketing TO push_audience")
        _ = try await campaigns.create("x", spec: spec, draft: false)
        let refused = await #expect(throws: DatabaseError.self) { try await campaigns.start("x", key: "k") }
        #expect(refused?.hint == #"GRANT SELECT ON marketing."All" TO push_audience;"#)
        try await database.script(#"GRANT SELECT ON marketing."All" TO push_audience"#)
        #expect(try await campaigns.start("x", key: "k"))
        let stream = try await test.number("SELECT id FROM push.stream")
        #expect(try await Runs(database: database).expand(stream, upTo: 10).rows == 1)
        // Files that are replaced stay theirs.
        try await database.script("DELETE FROM push.schema_file WHERE path LIKE '%audiences.sql' OR path = 'roles.sql'")
        _ = try await Schema(database: database).migrate(appVersion: "test")
        #expect(try await RoleAccess.read(from: database).audiencesBelongTo == nil)
        await database.close()
    }

    private final class Hints: Sendable {
        let all = Mutex<[String]>([])
    }

    @Test func grantingTwiceChangesNothing() async throws {
        let test = try await TestDatabase.make()
        let rights: SQL =
            "SELECT coalesce(relacl::text, '') FROM pg_class WHERE relnamespace = 'push'::regnamespace ORDER BY relname"
        let before = try await test.texts(rights)
        try await test.database.execute("SELECT push.grant_roles()")
        #expect(try await test.texts(rights) == before)
    }
}
