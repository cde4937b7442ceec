import ProgramSupport
import Foundation
import Glibc
import Postgres
import PostgresServer
import TestSupport
import Testing

/// `fanfare bench` without a hub: it measures, and leaves nothing behind.
@Suite(.serialized) struct BenchTests {
    /// Databases that look as if a bench had made them.
    private static let left = "SELECT count(*) FROM pg_database WHERE datname ~ '^fanfare_bench_[0-9]'"
    /// Everything a bench could have touched of a user's.
    private static let rows = """
        SELECT (SELECT count(*) FROM push.message) + (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)
             + (SELECT count(*) FROM push.post) + (SELECT count(*) FROM push.result) + (SELECT count(*) FROM push.worker)
             + (SELECT count(*) FROM push.hub) + (SELECT count(*) FROM push.tally)
        """

    @Test func itMeasuresBesideTheUsersTablesAndLeavesNothingBehind() async throws {
        let site = try await Site.make()
        let rows = try await site.number(Self.rows)
        let ended = try await site.fanfare("bench", "--messages", "1000", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        let facts = try ended.json([String: Any].self)
        let whole = try #require(facts["whole"] as? [String: Any])
        #expect(whole["posts"] as? Int == 1_000)
        #expect(try #require(whole["messages_per_second"] as? Double) > 0)
        #expect(try #require(whole["worker_cpu_us_a_message"] as? Double) > 0)
        #expect(try #require(whole["transactions_per_1000_messages"] as? Double) > 0)
        for name in ["round_trip_ms", "bare_insert_ms", "insert_to_request_ms"] {
            let samples = try #require(facts[name] as? [String: Any])
            #expect(try #require(samples["samples"] as? Int) > 0 && samples["p99"] as? Double != 0, "\(name)")
        }
        let statements = try #require(facts["statements"] as? [String: Any])
        let alone = try #require(statements["alone"] as? [String: Any])
        #expect(try #require(alone["per_1000_messages"] as? Double) > 16)
        #expect((facts["limit"] as? [String: Any])?["text"] as? String != "")
        let server = try #require(facts["server"] as? [String: Any])
        #expect((server["ground"] as? String)?.contains("fanfare_bench_") == true)

        #expect(try await site.number(Self.rows) == rows)
        #expect(try await site.number(Self.left) == 0)
    }

    @Test func peopleReadATableAndTheLimit() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("bench", "--messages", "1000")
        #expect(ended.status == 0, "\(ended.errors)")
        for part in [
            "on the server of the settings", "WHAT", "INSERT ... SELECT", "the whole, 1 message a post",
            "\nlimit: the ",
        ] {
            #expect(ended.output.contains(part), "\(part) is missing: \(ended.output)")
        }
    }

    @Test func withoutSettingsItSaysWhichAreMissing() async throws {
        let ended = try await BuiltProgram(settings: nil)("bench", "--messages", "1000")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("config.json"), "\(ended.errors)")
    }

    /// Databases and roles belong to the whole server: what a bench makes there goes, and what it must not make it does not.
    @Test func aRoleThatMayCreateDatabasesIsEnoughAndNoRoleIsMade() async throws {
        let server = try await TemporaryServer.start()
        let root = Database(DatabaseSettings(url: server.conninfo(), prepare: .never, maximumConnections: 1))
        try await root.script("CREATE ROLE owner LOGIN CREATEDB; CREATE ROLE nobody LOGIN")
        let roles: SQL = "SELECT rolname::text FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1"
        func names() async throws -> [String] {
            try await root.query(roles) { rows in try rows.map { try $0.string() } }
        }
        let before = try await names()
        func bench(as role: String) async throws -> BuiltProgram.Ended {
            let site = try Site(url: server.conninfo().replacing("user=postgres", with: "user=\(role)"))
            return try await site.fanfare("bench", "--messages", "1000", "--json")
        }

        let refused = try await bench(as: "nobody")
        #expect(refused.status == 77)
        #expect(refused.errors.contains("CREATEDB") && refused.errors.contains("hint: "), "\(refused.errors)")
        let ended = try await bench(as: "owner")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(try await names() == before)

        // A way that leads into one database only, as through many a pooler.
        let rules = "local postgres owner trust\nlocal all postgres trust\n"
        try rules.write(toFile: server.directory + "/data/pg_hba.conf", atomically: false, encoding: .utf8)
        try await root.execute("SELECT pg_reload_conf()")
        let other = server.conninfo(database: "template1").replacing("user=postgres", with: "user=owner")
        while await Self.isOpen(other) { try Task.checkCancellation() }
        let shut = try await bench(as: "owner")
        #expect(shut.status == 69)
        #expect(shut.errors.contains("pg_hba.conf"), "\(shut.errors)")
        let databases = try await root.query("SELECT datname::text FROM pg_database ORDER BY 1") { rows in
            try rows.map { try $0.string() }
        }
        #expect(databases == ["postgres", "template0", "template1"])
        await root.close()
        await server.stop()
    }

    private static func isOpen(_ url: String) async -> Bool {
        let database = Database(DatabaseSettings(url: url, maximumConnections: 1))
        // Whatever refuses us, it is not open: that is what is asked.
        let answer = try? await database.execute("SELECT 1")
        await database.close()
        return answer != nil
    }

    @Test func aSignalInTheMiddleLeavesNothingBehind() async throws {
        let site = try await Site.make()
        let bench = try RunningProgram(site.fanfare, "bench", "--messages", "1000000")
        while try await site.number(Self.left) == 0 { try Task.checkCancellation() }
        // It is at work there, not only made.
        while try await site.number(
            "SELECT count(*) FROM pg_stat_activity WHERE datname ~ '^fanfare_bench_[0-9]' AND state = 'active'") == 0
        { try Task.checkCancellation() }
        bench.signal(SIGINT)
        #expect(await bench.end == 130)
        #expect(bench.complaints.contains("nothing is left behind"))
        #expect(try await site.number(Self.left) == 0)
    }

    @Test func whatAKilledBenchHasLeftIsNamedAndDroppedByTheNext() async throws {
        let site = try await Site.make()
        let old = "fanfare_bench_1700000000_0123abcd"
        let young = "fanfare_bench_\(Int(Date().timeIntervalSince1970) + 600)_0123abcd"
        for name in [old, young, "fanfare_bench_of_ours"] { try await site.execute("CREATE DATABASE \(name)") }
        let ended = try await site.fanfare("bench", "--messages", "1000", "--json")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.errors.contains("dropped database \(old), which a bench that was killed had left behind"))
        let left = try await site.text(
            "SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database WHERE datname ~ 'fanfare_bench_'")
        #expect(left == "\(young) fanfare_bench_of_ours")
        for name in [young, "fanfare_bench_of_ours"] { try await site.execute("DROP DATABASE \(name)") }
    }

    @Test(arguments: [
        ["--messages", "999"], ["--messages", "1000001"], ["--window", "0"], ["--window", "513"],
        ["--private"], ["--tag", "World"], ["--yes"], ["--property", "a=b"],
        ["--hub", "news"], ["--hub", "news", "--tag", "a || b"], ["--hub", "news", "--tag", ""],
        ["--hub", "news", "--tag", "World", "--messages", "1001"], ["--hub", "news", "--tag", "World", "--private"],
    ])
    func whatItCannotDoIsAWrongCommandLine(options: [String]) async throws {
        #expect(try await BuiltProgram(settings: nil).run(["bench"] + options).status == 64)
    }
}
