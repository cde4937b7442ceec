import Pages
import Postgres
import PushModel
import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct AboutPageTests {
    @Test func itSaysWhetherProgramAndSchemaMatch() async throws {
        var options = ConsoleOptions()
        options.version = "9.8.7"
        let page = try await ConsoleBench.make().console([.look], options: options).page("/about")
        #expect(page.contains("<dd>Fanfare 9.8.7</dd>"))
        #expect(page.contains("<span class=\"state good\">matches</span> release"))
        #expect(page.contains("<dt>PostgreSQL</dt><dd>1"))
    }

    @Test func aNewerSchemaIsSaidToBeOne() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.execute(
            "INSERT INTO push.release (release, works_from) SELECT 9999, 9999")
        let page = try await bench.console([.look]).page("/about")
        #expect(page.contains("<span class=\"state bad\">does not match</span> the schema push is of release 9999"))
    }

    @Test func aRightThatIsMissingSaysWhatGivesIt() async throws {
        let bench = try await ConsoleBench.make()
        let page = try await bench.console([.look], named: "Ann <b>").page("/about")
        #expect(page.contains("You are Ann &lt;b&gt;.") && !page.contains("Ann <b>"))
        #expect(page.contains("Add operate to console.users.Ann &lt;b&gt;.may."))
        #expect(!page.contains("GRANT"))
    }

    /// The GRANT is run as it stands, and then nothing is missing.
    @Test func theGrantThatTheLoginLacksIsShown() async throws {
        let test = try await TestDatabase.make()
        let name = "\(test.name)_\"bare\""
        try await test.database.script("CREATE ROLE \(SQLText.name(name)) LOGIN")
        let login = Database(DatabaseSettings(url: test.conninfo + " user='\(name)'", maximumConnections: 2))
        let console = TestConsole(login, person: Person("Ann", rights: [.look]))
        let page = try await console.page("/about")
        let grant = try #require(page.firstMatch(of: /<code>(GRANT [^<]*)<\/code>/)).1.replacing("&quot;", with: "\"")
        #expect(grant == "GRANT push_console TO \(SQLText.name(name));")
        #expect(page.contains("<span class=\"state bad\">not in the database</span>"))
        try await test.database.script(String(grant))
        let after = try await console.page("/about")
        #expect(!after.contains("GRANT"))
        await login.close()
    }

    @Test func rightsThatTheRolesLackAreNamed() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script("REVOKE SELECT ON push.hub_settings FROM push_monitor")
        let page = try await bench.console([.look]).page("/about")
        #expect(
            page.contains("<code>SELECT on push.hub_settings</code>") && page.contains("SELECT push.grant_roles();"))
    }

    @Test func settingsInEffectHaveTheirSourcesAndAreForThoseWhoMayLook() async throws {
        var options = ConsoleOptions()
        options.settings = [SettingLine(name: "hubs.news.window", value: "<64>", source: "config.json, line 12")]
        options.links = [ConsoleLink(name: "Health", address: "http://127.0.0.1:9464/readyz")]
        let bench = try await ConsoleBench.make()
        let page = try await bench.console([.look], options: options).page("/about")
        #expect(
            page.contains("<td data-label=\"Value\">&lt;64&gt;</td><td data-label=\"From\">config.json, line 12</td>"))
        #expect(page.contains("<a href=\"http://127.0.0.1:9464/readyz\">Health</a>"))
        let other = try await bench.console([.campaigns], options: options).page("/about")
        #expect(!other.contains("hubs.news.window"))
    }

    @Test func aPersonSignsOutAndALoginStopsTheCommand() async throws {
        let bench = try await ConsoleBench.make()
        var options = ConsoleOptions()
        options.basePath = "/pushes"
        let page = try await bench.console([.look], options: options).page("/pushes/about")
        #expect(page.contains("<form method=\"post\" action=\"/pushes/sign-out\""))
        let alone = try await bench.test.login(as: "push_monitor")
        let person = Person(alone.name, rights: [.look], sharesLogin: false)
        let own = try await TestConsole(alone.database, person: person).page("/about")
        #expect(!own.contains("method=\"post\"") && own.contains("stop <code>fanfare console</code>"))
        #expect(own.contains("GRANT push_operator TO &quot;\(bench.test.name)_push_monitor&quot;;"))
        await alone.database.close()
    }

    @Test func someoneWithoutARightSeesItToo() async throws {
        let page = try await ConsoleBench.make().console([]).page("/about")
        #expect(page.contains("matches</span>") && !page.contains("Not shown"))
    }

    @Test func whenTheDatabaseIsAwayTheRestIsThere() async throws {
        let away = Database(DatabaseSettings(url: "host=/nowhere dbname=none"))
        var options = ConsoleOptions()
        options.version = "9.8.7"
        let page = try await TestConsole(away, options: options).page("/about")
        #expect(page.contains("Fanfare 9.8.7") && page.contains("Not shown: schema"))
        await away.close()
    }

    @Test func theSameInSQLAndAsCommandsRuns() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.beat()
        let page = try #require(AboutPage(path: ["about"], fields: FormFields("")))
        let visit = Visit(person: OpenDoor().person, options: ConsoleOptions(), now: 0)
        let trouble = Trouble("schema", DatabaseError(doing: "look", message: "none"))
        let rows = AboutPage.Rows(
            schema: .unread(trouble), server: .unread(trouble), login: .unread(trouble), missing: [])
        try await ElsewhereCheck.run(page.content(of: rows, for: visit).elsewhere, on: bench.test)
    }
}
