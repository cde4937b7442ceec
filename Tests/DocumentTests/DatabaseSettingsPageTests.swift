import Foundation
import Postgres
import PostgresServer
import ProgramSupport
import Store
import TestSupport
import Testing

/// The list of settings in docs/reliability.md: what each does to a worker, directly and behind a pooler.
@Suite struct DatabaseSettingsPageTests {
    /// One line of the list.
    struct Line: Sendable, CustomTestStringConvertible {
        var setting: String
        var value: String
        var directly: String
        var pooled: String
        var testDescription: String { "\(setting) = \(value)" }

        /// In the form of `ALTER … SET`.
        var statement: String {
            // A list stays a list.
            value.contains(", ") && setting == "search_path" ? "\(setting) = \(value)" : "\(setting) = '\(value)'"
        }
    }

    private static func lines() throws -> [Line] {
        try Repository.text("docs/reliability.md")
            .matches(of: /(?m)^\| `([A-Za-z_.]+)`(?: \([0-9]+\))? \| `([^`]+)` \| ([a-z]+) \| ([a-z]+) \|$/)
            .map {
                Line(
                    setting: String($0.1), value: String($0.2), directly: String($0.3), pooled: String($0.4))
            }
    }

    /// A server, a database of its own, a login of a worker, a hub that takes everything.
    private struct Bench {
        let server: TemporaryServer
        let admin: Database
        let worker: TestWorker
        let folder: Folder

        init() async throws {
            server = try await TemporaryServer.start()
            let test = try await TestDatabase.make(in: server)
            admin = Database(DatabaseSettings(url: test.conninfo, maximumConnections: 1))
            try await admin.execute("CREATE ROLE w LOGIN IN ROLE push_worker")
            worker = try await TestWorker.make(on: test)
            folder = try Folder()
        }

        /// What a drain makes of one message while the login has this setting.
        ///
        /// - Returns: nil: this server does not know the setting.
        func outcome(_ line: Line, url: String, prepare: String) async throws -> String? {
            guard try await isKnown(line.setting) else { return nil }
            try await admin.execute("ALTER ROLE w SET \(raw: line.statement)")
            try await worker.enqueue(1)
            let connection = worker.emulator.connectionString(for: "breaking-news")?.reveal() ?? ""
            let settings = try folder.write(
                """
                {"database": {"url": "\(url)", "prepare": "\(prepare)"}, "console": {"listen": "off"},
                 "hubs": {"news": {"hub": "breaking-news", "connectionString": "\(connection)"}}}
                """, to: "config.json")
            let ended = try await BuiltProgram(settings: settings).run(["drain", "--max-runtime", "10s"])
            let left = try await admin.query("SELECT count(*) FROM push.due") { try $0.single { try $0.int64() } }
            try await admin.execute("ALTER ROLE w RESET \(raw: line.setting)")
            try await admin.execute("SELECT push.cancel_hub('news')")
            if ended.status == 0, left == 0 { return "works" }
            if ended.status == 78, left == 1, ended.errors.contains("\(line.setting) is \"") { return "refused" }
            if ended.status == 69, left == 1, ended.errors.contains("25006") { return "waits" }
            return "\(ended)"
        }

        /// Settings of an extension or a language are known once it is used.
        private func isKnown(_ setting: String) async throws -> Bool {
            if setting.contains(".") { return true }
            let rows = try await admin.rows("SELECT 1 FROM pg_settings WHERE name = \(setting)")
            return rows.count == 1
        }

        func end() async {
            await admin.close()
            await worker.test.database.close()
            await server.stop()
        }
    }

    private static func expected(_ word: String) -> String { word == "set" || word == "harmless" ? "works" : word }

    @Test(arguments: ["auto", "never"])
    func everySettingDoesWhatThePageSays(prepare: String) async throws {
        let lines = try Self.lines()
        #expect(lines.count >= 45)
        let bench = try await Bench()
        for line in lines {
            guard
                let seen = try await bench.outcome(
                    line, url: bench.worker.test.conninfo + " user=w", prepare: prepare)
            else { continue }
            #expect(seen == Self.expected(line.directly), "\(line.testDescription)")
        }
        await bench.end()
    }

    @Test(
        .enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"),
        arguments: ["auto", "never"])
    func everySettingDoesWhatThePageSaysBehindAPooler(prepare: String) async throws {
        let bench = try await Bench()
        for line in try Self.lines() {
            // A new one for each: sessions of the last would still have its setting.
            let pooler = try Pooler(before: bench.server, user: "w")
            let url = pooler.conninfo(database: bench.worker.test.name)
            try await pooler.listens()
            try await pooler.command("RECONNECT")
            if let seen = try await bench.outcome(line, url: url, prepare: prepare) {
                #expect(seen == Self.expected(line.pooled), "\(line.testDescription)")
            }
            await pooler.kill()
        }
        await bench.end()
    }
}
