import Concurrency
import HTTPServer
import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct CampaignPageTests {
    private func bench(_ members: [String: String] = [:], draft: Bool = false) async throws -> CampaignBench {
        let bench = try await CampaignBench.make()
        try await bench.campaign("spring", members, draft: draft)
        return bench
    }

    private func status(_ console: TestConsole, _ path: String) async throws -> Int? {
        try await console.get(path)?.status
    }

    @Test(arguments: [Right.campaigns, .approve]) func anOwnerAndAnApproverSeeAllOfIt(right: Right) async throws {
        let bench = try await bench(["approval": "\"one\""])
        let page = try await bench.console([right]).whole("/campaigns/spring")
        #expect(page.contains("<title>Campaign spring – Fanfare</title>"))
        #expect(page.contains("<span class=\"state good\">ready</span>"))
        #expect(page.contains("revision 1 is not approved: nothing is sent"))
        #expect(page.contains(try await bench.approval(1).hash))
        #expect(page.contains("No revision was approved before; it says:"))
        #expect(page.contains("<code>content.en.title</code>") && page.contains("&quot;secret-words&quot;"))
        #expect(page.contains("<h2>Check and plan</h2>") && page.contains("<dt>rows</dt>"))
        #expect(page.contains("aria-label=\"iPhone · fr\"") && page.contains(">mots</p>"))
        #expect(page.contains("It has no schedule: a person starts its runs."))
        #expect(page.contains("It was never started."))
        #expect(!page.contains("Not shown:"), "\(page)")
    }

    @Test func thoseWhoMayOnlyLookSeeNoSpecNoTextAndNoApproval() async throws {
        let bench = try await bench(["approval": "\"one\"", "schedule": "\"daily 09:00 Europe/Berlin\""])
        try await bench.test.database.execute("SELECT push.test_campaign('spring', '{team}')")
        let page = try await bench.console([.look]).whole("/campaigns/spring")
        #expect(page.contains("<span class=\"state good\">ready</span>") && page.contains("At 09:00"))
        #expect(page.contains(", a test</td>"))
        let hash = try await bench.approval(1).hash
        for secret in [
            "secret-words", "mots", hash, "not approved", "What changed", "Check and plan",
            "<form method=\"post\" action=\"/act/",
        ] {
            #expect(!page.contains(secret), "\(secret)")
        }
        #expect(!page.contains("Not shown:"), "\(page)")
        // The address of a revision tells no more.
        let linked = try await bench.console([.look]).whole("/campaigns/spring?revision=1")
        #expect(!linked.contains("secret-words") && !linked.contains(hash))
    }

    @Test func itIsForNobodyElse() async throws {
        let bench = try await bench()
        #expect(try await status(bench.console([.operate]), "/campaigns/spring") == 403)
        #expect(try await status(bench.console([]), "/campaigns/spring") == 403)
    }

    @Test(arguments: ["nothing", "SPRING", "a%2Fb", "%3Cscript%3E", "%00"])
    func anUnknownNameIsNotFound(name: String) async throws {
        let bench = try await bench()
        for right in [Right.look, .campaigns] {
            let response = try #require(try await bench.console([right]).get("/campaigns/\(name)"))
            #expect(response.status == 404)
            #expect(!String(decoding: response.body, as: UTF8.self).contains("<script>"))
        }
    }

    @Test func theLinkOfARevisionShowsThatOneBesideTheOneThatIsSent() async throws {
        let bench = try await bench()
        try await bench.campaign("spring", ["rate": "10", "approval": "\"two\""], by: "Bob")
        let newest = try await bench.console([.approve]).whole("/campaigns/spring")
        #expect(newest.contains("Changed since revision 1:") && newest.contains("<code>rate</code>"))
        #expect(newest.contains("<td data-label=\"Here\">shown, newest</td>"))
        #expect(
            newest.contains("<td data-label=\"Here\">sent</td>") && newest.contains("<td data-label=\"By\">Bob</td>"))
        #expect(newest.contains("revision 2 is not approved: revision 1 is sent"))
        let old = try await bench.console([.approve]).whole("/campaigns/spring?revision=1")
        #expect(old.contains("<td data-label=\"Here\">shown, sent</td>") && !old.contains("<code>rate</code>"))
        for wrong in ["3", "0", "-1", "x", "99999999999999999999", "1%3Cb%3E"] {
            let response = try #require(
                try await bench.console([.approve]).get("/campaigns/spring?revision=\(wrong)"))
            #expect(response.status == 404, "\(wrong)")
        }
    }

    @Test func aRevisionIsFoundHoweverManyCameAfterIt() async throws {
        let bench = try await bench()
        for rate in 1...25 { try await bench.campaign("spring", ["rate": "\(rate)"]) }
        let page = try await bench.console([.campaigns]).whole("/campaigns/spring?revision=2")
        #expect(
            page.contains("<td data-label=\"Here\">shown</td>")
                && page.contains("<td data-label=\"Here\">sent, newest</td>"))
    }

    @Test func aDraftShowsItsMistakesAndNoRunForm() async throws {
        let bench = try await bench(["onDoubt": "\"maybe\"", "schedule": "\"sometimes\""], draft: true)
        let page = try await bench.console([.campaigns]).whole("/campaigns/spring")
        #expect(page.contains("<span class=\"state waits\">draft</span>"))
        #expect(page.contains("<span class=\"state bad\">error</span>") && page.contains("onDoubt is neither"))
        #expect(page.contains("It is draft, and does not start itself."))
        #expect(page.contains("action=\"/act/test-campaign\"") && !page.contains("action=\"/act/run-campaign\""))
        #expect(!page.contains("Not shown:"), "\(page)")
    }

    @Test func phonesFollowTheFieldsOfTheAddress() async throws {
        let bench = try await CampaignBench.make()
        try await bench.test.database.execute("SELECT push.make_list('beta')")
        try await bench.campaign(
            "spring",
            [
                "content": #"{"en": {"title": "Hi {{name}}", "body": "{{City|your town}}"}}"#,
                "audience": #"{"list": "beta"}"#,
            ])
        let console = bench.console([.campaigns])
        let without = try await console.whole("/campaigns/spring")
        #expect(
            without.contains("<span class=\"state bad\">would not be sent</span>")
                && without.contains("name=\"with.name\""))
        let with = try await console.whole("/campaigns/spring?with.name=Ada%3Cb%3E&with.city=K%C3%B6ln")
        #expect(with.contains(">Hi Ada&lt;b&gt;</p>") && with.contains(">Köln</p>"))
        #expect(with.contains("Fallback: the text in en") && with.contains("aria-label=\"Android · zh-Hans\""))
        // A test says what the phones say.
        #expect(with.contains("<input type=\"hidden\" name=\"with.name\" value=\"Ada&lt;b&gt;\">"))
        let one = try await console.whole("/campaigns/spring?with.name=Ada&locale=fr&platform=apns")
        #expect(one.contains("aria-label=\"iPhone · fr\"") && !one.contains("aria-label=\"iPhone · en\""))
        #expect(!one.contains("Android"))
    }

    @Test(arguments: [
        ("locale=no-locale-at-all", "locale"), ("platform=pager", "pager"), ("colour=red", "colour"),
    ])
    func whatCannotBeReadIsRefusedAtItsField(query: String, words: String) async throws {
        let response = try #require(try await bench().console([.campaigns]).get("/campaigns/spring?\(query)"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 400)
        #expect(page.contains("state bad") && page.contains(words))
    }

    /// The page is there within two seconds, and the forecast in a later look.
    @Test func anAudienceThatIsReadSlowlyHoldsNoPageUp() async throws {
        let bench = try await CampaignBench.make()
        try await bench.test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE FUNCTION marketing.slow() RETURNS int LANGUAGE sql AS 'SELECT 1 FROM pg_sleep(1.1)';
            CREATE VIEW marketing.people AS
            SELECT n::bigint AS key, 'user:' || n AS tag FROM generate_series(1, 3) n, marketing.slow() s;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            GRANT EXECUTE ON FUNCTION marketing.slow() TO push_audience;
            """)
        try await bench.campaign("slow", ["audience": #"{"view": "marketing.people"}"#])
        // A clock that stands: what was read stays fresh.
        let looks = Looks { 0 }
        let console = TestConsole(
            bench.bench.login.database, person: Person("Ann", rights: [.campaigns]), sharing: looks, statementSeconds: 2
        )
        var page = try await console.page("/campaigns/slow")
        #expect(page.contains("still being worked out") && page.contains("<h2>Phones</h2>"))
        #expect(!page.contains("Not shown: check and plan"))
        while page.contains("still being worked out") { page = try await console.page("/campaigns/slow") }
        #expect(page.contains("<dt>rows</dt>"), "\(page)")
    }

    @Test func aScheduleIsShownInWordsWithItsNextTimes() async throws {
        let bench = try await bench(["schedule": "\"weekdays 09:00 Europe/Berlin\""])
        let page = try await bench.console([.look], now: 1_800_000_000).whole("/campaigns/spring")
        #expect(page.contains("At 09:00 on Monday to Friday, Europe/Berlin"))
        #expect(page.contains("<caption>The next times</caption>"))
        #expect(page.contains("Mon 2027-01-18 09:00 +01:00") && page.contains("datetime=\"2027-01-18T08:00:00Z\""))
        #expect(page.components(separatedBy: "data-label=\"The same time\"").count == 6)
        try await bench.test.database.execute("SELECT push.pause_schedule('spring', 'new <texts>')")
        let paused = try await bench.console([.look]).whole("/campaigns/spring")
        #expect(paused.contains("paused by postgres: new &lt;texts&gt;") && paused.contains("Would come"))
    }

    @Test func buttonsAreThoseThatWouldDoSomething() async throws {
        let bench = try await bench(["schedule": "\"daily 09:00 UTC\""])
        func actions(_ rights: Set<Right>) async throws -> Set<String> {
            let page = try await bench.console(rights).whole("/campaigns/spring")
            return Set(ActionBook.all.map { $0.name }.filter { page.contains("action=\"/act/\($0)\"") })
        }
        let owner: Set = [
            "test-campaign", "run-campaign", "schedule-campaign", "schedule-once", "unschedule-campaign",
            "schedule-pause", "archive-campaign",
        ]
        #expect(try await actions([.campaigns]) == owner)
        #expect(try await actions([.look, .operate]) == owner)
        #expect(try await actions([.approve]) == ["reject-revision"])
        #expect(try await actions([.look]) == [])
        try await bench.test.database.execute("SELECT push.pause_schedule('spring')")
        #expect(try await actions([.campaigns]).isSuperset(of: ["schedule-resume"]))
        try await bench.test.database.execute("SELECT push.archive_campaign('spring')")
        #expect(try await actions([.campaigns]) == ["unarchive-campaign"])
        #expect(try await actions([.approve]) == [])
    }

    @Test func itsDatabaseMayBeAway() async throws {
        let away = Database(DatabaseSettings(url: "host=/nowhere dbname=none"))
        let page = try await TestConsole(away).page("/campaigns/spring")
        #expect(page.contains("could not be looked at") && page.contains("Not shown: campaign"))
        await away.close()
    }

    @Test func aPartThatCannotBeReadLeavesTheOthers() async throws {
        let bench = try await bench()
        try await bench.test.database.script("REVOKE SELECT ON push.run_progress FROM push_campaign")
        let page = try await bench.console([.campaigns]).whole("/campaigns/spring")
        #expect(page.contains("Not shown: runs") && page.contains("<h2>Phones</h2>"))
    }

    @Test(arguments: [Right.look, .campaigns, .approve]) func theSameInSQLAndAsCommandsRuns(right: Right) async throws {
        let bench = try await bench()
        try await ElsewhereCheck.run(
            CampaignElsewhere.all(of: "spring", 1, for: Person("Ann", rights: [right])), on: bench.test)
    }
}
