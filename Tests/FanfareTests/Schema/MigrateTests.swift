import ProgramSupport
import Testing

@Suite struct MigrateTests {
    @Test func upMakesTheSchemaAndRegistersTheHubs() async throws {
        let site = try await Site.make(migrated: false)
        let ended = try await site.fanfare("migrate", "up")
        #expect(ended.status == 0)
        #expect(ended.output.hasPrefix("0001_initial.sql: done\n"))
        #expect(ended.output.hasSuffix("hub news: registered\n"))
        #expect(try await site.text("SELECT fallback FROM push.hub WHERE name = 'news'") == "en")
        #expect(try await site.number("SELECT count(*) FROM push.schema_file WHERE app_version IS NULL") == 0)
    }

    @Test func upRefusesADatabaseThatIsNotUnicode() async throws {
        let site = try await Site.make(migrated: false)
        let name = "ascii_\(UInt32.random(in: 0...UInt32.max))"
        try await site.execute("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'")
        let own = try await site.text("SELECT current_database()")
        let ended = try await Site(url: site.url.replacing(own, with: name)).fanfare("migrate", "up")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("the encoding of database \(name) is SQL_ASCII, and Fanfare needs UTF8"))
        #expect(ended.errors.contains("CREATE DATABASE fanfare TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"))
    }

    @Test func upTwiceChangesNothing() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("migrate", "up", "--json")
        #expect(ended.status == 0)
        let document = try ended.json([String: Any].self)
        #expect(document["files"] as? [String] == [])
        #expect(document["hubs"] as? [String] == ["news"])
    }

    @Test func upRegistersWhatTheSettingsSayNow() async throws {
        let site = try await Site.make()
        let settings = Site.settings(url: site.url, hub: #""allowBroadcast": true,"#)
        try site.scratch.write(settings, to: "config.json")
        #expect(try await site.fanfare("migrate", "up").status == 0)
        #expect(try await site.text("SELECT allow_broadcast FROM push.hub WHERE name = 'news'") == "true")
    }

    @Test func statusShowsTheReleaseAndWhatWouldBeReplaced() async throws {
        let site = try await Site.make()
        let ended = try await site.fanfare("migrate", "status")
        #expect(ended.status == 0)
        #expect(ended.output.contains("as this fanfare needs"))
        let document = try await site.fanfare("migrate", "status", "--json").json([String: Any].self)
        #expect(document["standing"] as? String == "current")
        #expect((document["files"] as? [[String: Any]])?.first?["path"] as? String == "0001_initial.sql")
        #expect(document["pending"] as? [String] == [])

        try await site.execute("UPDATE push.schema_file SET sha256 = '' WHERE path = 'views/messages.sql'")
        let changed = try await site.fanfare("migrate", "status")
        #expect(changed.output.contains("fanfare migrate up would run 2 files: views/messages.sql, roles.sql\n"))
        #expect(try await site.fanfare("migrate", "up").output.hasPrefix("views/messages.sql: done\nroles.sql: done\n"))
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

    /// The whole script is for psql, which makes the schema with it, and replaces what it holds when it is run again.
    @Test func whatIsPrintedMakesASchemaAsGood() async throws {
        let site = try await Site.make(migrated: false)
        let sql = try await BuiltProgram(settings: nil)("migrate", "print").output
        for _ in 1...2 {
            let psql = try await Tool.psql(["-X", "-q", "-d", site.url, "-v", "ON_ERROR_STOP=1"], input: sql)
            #expect(psql.status == 0, "\(psql.errors)")
            let ended = try await site.fanfare("migrate", "verify")
            #expect(ended.status == 0, "\(ended.output)")
        }
    }

    @Test func oneFileCanBePrintedAlone() async throws {
        let fanfare = BuiltProgram(settings: nil)
        let ended = try await fanfare("migrate", "print", "functions/protocol/claim.sql")
        #expect(ended.output.hasPrefix("-- The claim"))
        #expect(try await fanfare("migrate", "print", "99").status == 64)
        let rows = try await fanfare("migrate", "print", "--json").json([[String: Any]].self)
        #expect(rows.first?["path"] as? String == "0001_initial.sql")
    }

    @Test func anOlderSchemaIsToldToMigrate() async throws {
        let site = try await Site.make()
        try await site.execute("UPDATE push.release SET release = 0, works_from = 0")
        let ended = try await site.fanfare("status")
        #expect(ended.status == 78)
        #expect(ended.errors.contains("fanfare migrate up"))
    }
}
