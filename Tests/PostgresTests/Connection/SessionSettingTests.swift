import PostgresServer
import Testing

@testable import Postgres

/// Settings of a role or a database that our statements do not go with.
@Suite struct SessionSettingTests {
    private static let all: [SessionSetting] = [
        .readCommitted, .standardStrings, .ownSearchPath, .triggersFire, .writable, .unicode,
        .statementTimeout(atLeast: 5),
    ]

    /// Lends a database whose login has these settings.
    private func withLogin(
        _ settings: [String], _ change: @Sendable (inout DatabaseSettings) -> Void = { _ in },
        _ body: (Database) async throws -> Void
    ) async throws {
        let login = "login_\(UInt64.random(in: 0...UInt64.max))"
        try await SharedServer.withDatabase { owner in
            try await owner.execute("CREATE ROLE \(name: login) LOGIN")
            for setting in settings { try await owner.execute("ALTER ROLE \(name: login) SET \(raw: setting)") }
        }
        try await SharedServer.withDatabase({ database in
            database.url += " user=\(login)"
            database.session = Self.all
            change(&database)
        }) { try await body($0) }
        try await SharedServer.withDatabase { try await $0.execute("DROP ROLE \(name: login)") }
    }

    @Test(arguments: [DatabaseSettings.Prepare.auto, .never])
    func aSessionSetsWhatItNeeds(prepare: DatabaseSettings.Prepare) async throws {
        let odd = [
            "default_transaction_isolation = 'serializable'", "standard_conforming_strings = off",
            "search_path = 'public', pg_catalog",
            // Less than is needed. 1 ms is not enough to set it on a busy machine.
            "statement_timeout = '100ms'",
        ]
        try await withLogin(odd) {
            $0.prepare = prepare
        } _: { database async throws in
            #expect(try await database.brokenSettings() == [])
            let seen = try await database.query(
                """
                SELECT current_setting('transaction_isolation'), current_setting('standard_conforming_strings'),
                       current_setting('search_path'), current_setting('statement_timeout')
                """
            ) { rows in try rows.single { row in try (0...3).map { _ in try row.string() } } }
            #expect(seen == ["read committed", "on", "pg_catalog", "5s"])
        }
    }

    /// What waits for a lock that nobody gives back, for a client that was killed.
    @Test func aStatementEndsWhenItsClientGoes() async throws {
        try await SharedServer.withDatabase({ $0.session = [.endsWithClient] }) { database async throws in
            let seen = try await database.query("SHOW client_connection_check_interval") {
                try $0.single { try $0.string() }
            }
            #expect(seen == "1s")
        }
    }

    @Test(arguments: ["0", "'5s'", "'1min'", "'1d'"])
    func aTimeoutThatIsLongEnoughStays(timeout: String) async throws {
        try await withLogin(["statement_timeout = \(timeout)"]) { database async throws in
            let seen = try await database.query("SHOW statement_timeout") { try $0.single { try $0.string() } }
            #expect(seen == timeout.filter { $0 != "'" })
        }
    }

    @Test func whatASessionMayNotSetIsNamed() async throws {
        try await withLogin(["session_replication_role = 'replica'"]) { database async throws in
            let broken = try await database.brokenSettings()
            #expect(broken.map(\.description) == [#"session_replication_role is "replica" (set for: user)"#])
            #expect(broken.first?.remedy.hasPrefix(#"ALTER ROLE "login_"#) == true)
            #expect(broken.first?.remedy.hasSuffix(#"" SET session_replication_role = 'origin'"#) == true)
        }
    }

    @Test func anotherEncodingIsNamed() async throws {
        let broken = BrokenSetting(
            name: "server_encoding", value: "SQL_ASCII", source: "override", needed: "UTF8", isPooled: false,
            login: "w",
            database: "d")
        #expect(broken.remedy.hasSuffix("CREATE DATABASE fanfare TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"))
    }

    @Test(arguments: [
        ("database user", false, #"ALTER ROLE "w" IN DATABASE "d" RESET search_path"#),
        ("database", false, #"ALTER ROLE "w" SET search_path = 'pg_catalog'"#),
        ("client", false, "take it out of database.url and PGOPTIONS"),
        ("configuration file", true, #"ALTER ROLE "w" SET search_path = 'pg_catalog', then have the pooler"#),
    ])
    func theRemedyGoesByWhereTheValueComesFrom(source: String, isPooled: Bool, remedy: String) {
        let broken = BrokenSetting(
            name: "search_path", value: "public", source: source, needed: "pg_catalog", isPooled: isPooled, login: "w",
            database: "d")
        #expect(broken.remedy.hasPrefix(remedy))
    }

    /// A pooler would hand it on: the setting stays, and is named.
    @Test func behindAPoolerNothingIsSet() {
        let sql = Self.all.statement(announced: 4711)
        #expect(sql.contains("pg_backend_pid() = 4711 AND CASE name"))
        #expect(!sql.contains("session_replication_role"))
        #expect([SessionSetting]().statement(announced: 1).isEmpty)
    }
}
