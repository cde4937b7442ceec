import Postgres
import PostgresServer
import PushModel
import TestSupport
import Testing

@testable import Store

/// Who acts, where people share the login of a console. Anybody can make a setting, so only that of such a login counts.
@Suite(.timeLimit(.minutes(10))) struct PersonTests {
    @Test func everyColumnAndTextThatNamesPeopleNamesThePersonOfTheTransaction() async throws {
        let store = try await StoreFixture.make()
        let console = try await Console.make(on: store.test)
        func act(as role: String, _ sql: SQL) async throws { try await console.act("anna", as: role, sql) }
        func texts(_ sql: SQL) async throws -> [String] { try await store.test.texts(sql) }

        let doubted = try await store.insert()
        let claim = try #require(try await store.claim())
        try await store.intend([doubted], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await act(as: "operator", "SELECT push.resolve(\(doubted), 'rejected')::text")
        #expect(try await texts("SELECT note FROM push.result WHERE reason = 'resolved'") == ["decided by anna"])
        try await act(as: "operator", "SELECT push.retry(\(doubted))::text")
        #expect(
            try await texts("SELECT note FROM push.result WHERE status = 'retrying'") == ["sent again by anna"])

        try await act(as: "operator", "SELECT push.pause_hub('news', 'new key')::text")
        #expect(try await texts("SELECT why FROM push.hub_health") == ["paused by anna: new key"])
        try await store.put("phone")
        try await act(as: "operator", "SELECT push.cancel_devices('news')::text")
        #expect(try await texts("SELECT note FROM push.installation_result") == ["cancelled by anna"])
        let another = try await store.another()
        _ = try await store.workers.beat(
            another.worker, doing: "", reports: [HubReport(hub: store.hub, hasSecondary: true)])
        try await act(as: "operator", "SELECT push.rotate_hub('news')")
        #expect(try await texts("SELECT key_reason FROM push.hub_state") == ["rotated by anna"])
        try await act(as: "operator", "SELECT push.add_hub('sport')::text")
        try await act(as: "operator", "SELECT push.remove_hub('sport')::text")
        #expect(try await texts("SELECT removed_by FROM push.hub WHERE name = 'sport'") == ["anna"])

        try await act(as: "campaign", "SELECT push.make_list('beta')::text")
        try await act(as: "campaign", "SELECT push.suppress('tag', 'user:1')::text")
        try await act(as: "campaign", "SELECT push.keep_reach('news', 'World', 1, 1, true)::text")
        try await act(
            as: "campaign",
            #"""
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "x"}},
                "schedule": "daily 09:00 UTC"}')::text
            """#)
        try await act(as: "campaign", "SELECT push.pause_schedule('spring', 'holidays')::text")
        try await act(as: "campaign", "SELECT push.start_run('spring', 'k')::text")
        try await act(as: "campaign", "SELECT push.pause_run('spring', 'k', 'wrong link')::text")
        #expect(try await texts("SELECT why FROM push.run") == ["paused by anna: wrong link"])
        try await act(as: "campaign", "SELECT push.cancel_run('spring', 'k')::text")
        try await act(as: "approve", "SELECT push.reject('spring', 1)::text")
        #expect(
            try await texts(
                """
                SELECT 'list ' || by FROM push.list UNION ALL SELECT 'suppression ' || by FROM push.suppression
                UNION ALL SELECT 'reach ' || by FROM push.reach
                UNION ALL SELECT concat_ws(' ', 'revision', by, is_person) FROM push.campaign_revision
                UNION ALL SELECT concat_ws(' ', 'verdict', by, is_person) FROM push.approval
                UNION ALL SELECT 'schedule ' || schedule_why FROM push.campaign
                UNION ALL SELECT concat_ws(' ', 'run', started_by, why) FROM push.run
                """) == [
                    "list anna", "suppression anna", "reach anna", "revision anna t", "verdict anna t",
                    "schedule paused by anna: holidays", "run anna cancelled by anna",
                ])
        // Written at the commit.
        #expect(
            try await texts("SELECT concat_ws(' ', event, who) FROM push.run_event ORDER BY id") == [
                "start anna", "pause anna", "cancel anna",
            ])
        #expect(
            try await texts("SELECT DISTINCT person || ' ' || who FROM push.audit WHERE who <> 'postgres'") == [
                "anna \(store.test.name)_console"
            ])
    }

    /// Each way to make the setting, by logins that are no console's.
    @Test func theSettingOfAnotherLoginCountsForNothing() async throws {
        let store = try await StoreFixture.make()
        let name = "\(store.test.name)_push_operator"
        let person = try await store.test.login(as: "push_operator").database
        let superuser = store.test.another(maximumConnections: 1)
        for (database, ways) in [
            (person, ["SET LOCAL push.person = 'eve'", "SELECT set_config('push.person', 'eve', false)"]),
            (
                superuser,
                ["SET LOCAL push.person = 'eve'", "SET LOCAL push.person = 'eve'; SET LOCAL ROLE push_console"]
            ),
        ] {
            for way in ways {
                let seen = try await database.withConnection { connection in
                    try await connection.script("BEGIN; \(way)")
                    let seen = try await connection.query("SELECT push.person()") { rows in
                        try rows.single { row in try row.string() }
                    }
                    try await connection.script("COMMIT")
                    return seen
                }
                let own = way.hasSuffix("push_console") ? "push_console" : "postgres"
                #expect(seen == (database === person ? name : own), "\(way)")
            }
        }
        // Of the role, and of the connection: there before the first statement.
        try await store.database.script("ALTER ROLE \(name) SET push.person = 'eve'")
        for options in ["", " options='-c push.person=eve'"] {
            let login = Database(
                DatabaseSettings(url: store.test.conninfo + " user=\(name)\(options)", maximumConnections: 1))
            try await login.execute("SELECT push.pause_hub('news')")
            await login.close()
        }
        #expect(try await store.test.texts("SELECT paused_by FROM push.hub_state") == [name])
        #expect(
            try await store.test.texts("SELECT DISTINCT person FROM push.audit WHERE action = 'pause_hub'") == [name])

        // Membership is looked at in each call: with it the setting counts, and without it no more.
        func seen() async throws -> [String] {
            try await person.query("SELECT push.person()") { rows in try rows.map { row in try row.string() } }
        }
        try await store.database.script("GRANT push_console TO \(name)")
        #expect(try await seen() == ["eve"])
        try await store.database.script("REVOKE push_console FROM \(name)")
        #expect(try await seen() == [name])
        await person.close()
        await superuser.close()
    }

    @Test func whatIsNoNameIsRefusedAndNothingIsDone() async throws {
        let store = try await StoreFixture.make()
        let console = try await Console.make(on: store.test)
        let bad = [
            " ", " anna", "anna ", "anna  b", "anna\nroot", "anna\t", "\u{1b}[31manna", "anna\u{7f}", "anna\u{85}",
            "anna\u{a0}b", "ann\u{ad}a", "\u{202e}anna", "ann\u{200b}a", "anna\u{2028}", "\u{feff}anna",
            "anna\u{e0061}",
            "schedule", String(repeating: "x", count: 201), String(repeating: "x", count: 10_000),
        ]
        for name in bad {
            let error = await #expect(throws: DatabaseError.self) {
                try await console.act(name, as: "operator", "SELECT push.pause_hub('news')::text")
            }
            #expect(error?.sqlState == "22023", "\(name)")
            #expect(error?.hint?.hasPrefix("A name has 1 to 200 visible") == true, "\(name)")
            #expect(error?.message.hasSuffix("does not name a person") == true, "\(error?.message ?? "")")
            #expect((error?.message.count ?? 0) < 200)
        }
        #expect(try await store.test.number("SELECT count(*) FROM push.hub_state WHERE paused_by IS NOT NULL") == 0)
        for name in ["anna", "Zoë O'Brien-Łukasz", "anna@example.com", "李雷", String(repeating: "x", count: 200)] {
            #expect(try await console.act(name, as: "operator", "SELECT push.person()") == [name])
        }
    }

    /// A session of a pool serves many people: who was named in one transaction is not named in the next.
    @Test func aNameEndsWithItsTransaction() async throws {
        let test = try await TestDatabase.make()
        let console = try await Console.make(on: test)
        let seen = try await console.database.withConnection { connection in
            func person() async throws -> String {
                try await connection.query("SELECT push.person()") { rows in
                    try rows.single { row in try row.string() }
                }
            }
            var seen: [String] = []
            for end in ["COMMIT", "ROLLBACK", "ROLLBACK TO SAVEPOINT s"] {
                try await connection.script(
                    "BEGIN; SAVEPOINT s; SET LOCAL push.person = 'anna'; SET LOCAL ROLE push_monitor")
                seen.append(try await person())
                try await connection.script(end)
                seen.append(try await person())
            }
            try await connection.script("COMMIT")
            return seen
        }
        let nobody = "\(test.name)_console"
        #expect(seen == ["anna", nobody, "anna", nobody, "anna", nobody])
        #expect(try await console.act(nil, as: "monitor", "SELECT push.person()") == ["push_monitor"])
        #expect(try await console.act("", as: "monitor", "SELECT push.person()") == ["push_monitor"])
    }

    /// Behind pgbouncer a session serves one person after another, and transactions that name nobody.
    @Test(.enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"))
    func behindATransactionPoolerEachActsUnderTheirOwnName() async throws {
        let server = try await TemporaryServer.start()
        let direct = try await TestDatabase.make(in: server)
        try await direct.database.script("CREATE ROLE console LOGIN IN ROLE push_console")
        let pooler = try Pooler(before: server, user: "console")
        try await pooler.listens()
        let console = Console(
            database: TestDatabase(at: pooler.conninfo(database: direct.name), name: direct.name).database)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for person in ["anna", "bert", "cleo", nil] as [String?] {
                group.addTask {
                    for n in 0..<20 {
                        try await console.act(
                            person, as: "campaign", "SELECT push.make_list(\("\(person ?? "nobody")-\(n)"))::text")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await direct.texts(
                "SELECT concat_ws(' ', split_part(name, '-', 1), by, count(*)) FROM push.list GROUP BY split_part(name, '-', 1), by ORDER BY 1"
            ) == ["anna anna 20", "bert bert 20", "cleo cleo 20", "nobody push_campaign 20"])
        #expect(try await direct.texts("SELECT DISTINCT who FROM push.audit WHERE action = 'make_list'") == ["console"])
        await console.database.close()
        await direct.database.close()
        await server.stop()
    }

    /// Its login has no right until it takes on a role, and takes on no other than those of people.
    @Test func aConsoleMayDoWhatTheRoleThatItSetsMay() async throws {
        let store = try await StoreFixture.make()
        let console = try await Console.make(on: store.test)
        func state(_ role: String?, _ sql: SQL) async throws -> String? {
            do {
                try await console.act("anna", as: role, sql)
                return nil
            } catch let error as DatabaseError {
                return error.sqlState
            }
        }
        let looks: SQL = "SELECT hub FROM push.hub_health"
        let pauses: SQL = "SELECT push.pause_hub('news')::text"
        let keeps: SQL = "SELECT push.unsuppress('tag', 'user:1')::text"
        let judges: SQL = "SELECT push.reject('none', 1)::text"
        let refused = "42501"
        let unknown = "P0002"  // it may, and there is no such campaign
        for (role, rights) in [
            (nil, [refused, refused, refused, refused]), ("monitor", [nil, refused, refused, refused]),
            ("operator", [nil, nil, nil, refused]), ("campaign", [refused, refused, nil, refused]),
            ("approve", [refused, refused, refused, unknown]),
        ] as [(String?, [String?])] {
            for (sql, right) in zip([looks, pauses, keeps, judges], rights) {
                let found = try await state(role, sql)
                #expect(found == right, "\(role ?? "none"): \(sql.text)")
            }
        }
        for role in ["worker", "enqueue", "register", "audience"] {
            #expect(try await state(role, "SELECT 1::text") == refused, "\(role)")
        }
        #expect(try await state(nil, "SELECT push.person() || max(s.release) FROM push.schema() s") == nil)
        #expect(try await state("operator", "SELECT content::text FROM push.message") == refused)
    }
}
