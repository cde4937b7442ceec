import ProgramSupport
import Testing

@Suite struct MigrateTests {
    @Test func upMakesTheSchemaAndRegistersTheHubs() async throws {
        let site = try await Site.make(migrated: false)
        let ended = try await site.fanfare("migrate", "up")
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("migration 0001_schema.sql: done\n"))
        #expect(ended.output.hasSuffix("hub news: registered\n"))
        #expect(try await site.text("SELECT fallback FROM push.hub WHERE name = 'news'") == "en")
        #expect(try await site.number("SELECT count(*) FROM push.migration WHERE app_version IS NULL") == 0)
    }

    @Test func upTwiceChangesNothing() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("migrate", "up", "--json")
        #expect(ended.status == 0)
        let document = try ended.json([String: Any].self)
        #expect(document["migrations"] as? [String] == [])
        #expect(document["hubs"] as? [String] == ["news"])
    }

    @Test func upRegistersWhatTheSettingsSayNow() async throws {
        let site = try await Site.make()
        let settings = Site.settings(url: site.url, hub: #""allowBroadcast": true,"#)
        try site.scratch.write(settings, to: "config.json")
        #expect(try await site.fanfare("migrate", "up").status == 0)
        #expect(try await site.text("SELECT allow_broadcast FROM push.hub WHERE name = 'news'") == "true")
    }

    @Test func statusTellsTheVersionAndEveryMigration() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("migrate", "status")
        #expect(ended.status == 0)
        #expect(ended.output.contains("as this fanfare needs"))
        let document = try await site.fanfare("migrate", "status", "--json").json([String: Any].self)
        #expect(document["standing"] as? String == "current")
        #expect((document["migrations"] as? [[String: Any]])?.first?["name"] as? String == "schema")
    }

    @Test func verifyIsContentWithAFreshSchema() async throws {
        let ended = try await Site.make().fanfare("migrate", "verify", "--json")
        #expect(ended.status == 0)
        #expect(try ended.json([String: Any].self)["ok"] as? Bool == true)
    }

    @Test func verifyExits78WithoutASchema() async throws {
        let ended = try await Site.make(migrated: false).fanfare("migrate", "verify")
        #expect(ended.status == 78)
        #expect(ended.output.contains("fanfare migrate up"))
    }

    @Test func printedMigrationsRunByHandAreASchemaAsGood() async throws {
        let site = try await Site.make(migrated: false)
        let sql = try await BuiltProgram(settings: nil)("migrate", "print").output
        try await site.execute(sql)
        let ended = try await site.fanfare("migrate", "verify")
        #expect(ended.status == 0, "\(ended.output)")
    }

    @Test func oneMigrationCanBePrintedAlone() async throws {
        let fanfare = BuiltProgram(settings: nil)
        let ended = try await fanfare("migrate", "print", "2")
        #expect(ended.output.hasPrefix("-- Fanfare, migration 2"))
        #expect(try await fanfare("migrate", "print", "99").status == 64)
        let rows = try await fanfare("migrate", "print", "--json").json([[String: Any]].self)
        #expect(rows.first?["file"] as? String == "0001_schema.sql")
    }

    @Test func anOlderSchemaIsToldToMigrate() async throws {
        let site = try await Site.make()
        try await site.execute("DELETE FROM push.migration WHERE version > 1")
        let ended = try await site.fanfare("status")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("fanfare migrate up"))
    }
}
