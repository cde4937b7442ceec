import HTTPServer
import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// The list of campaigns with a real database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct CampaignsPageTests {
    private func names(_ page: String) -> [String] {
        page.matches(of: /<tr><th scope="row">(?:<a href="[^"]*">)?([a-z0-9_-]+)/).map { String($0.1) }
    }

    @Test func campaignsAreListedByNameWithTheirNewestRun() async throws {
        let bench = try await RunBench.withRun()
        try await bench.create("autumn")
        try await bench.create("draft", draft: true)
        let page = try await bench.bench.console([.look]).page("/campaigns")
        #expect(names(page) == ["autumn", "draft", "spring"])
        #expect(page.contains("<span class=\"state off\">draft</span>") && page.contains("never started"))
        #expect(
            page.contains(
                "<a href=\"\(RunBench.address)\">2027/03?%&lt;b&gt;</a> <span class=\"state good\">running</span>")
        )
        #expect(page.contains("6 accepted, 1 rejected, 1 in doubt"))
        #expect(!page.contains("secret-words") && page.contains("3 campaigns in all with these filters."))
    }

    @Test func eachFilterCounts() async throws {
        let bench = try await RunBench.make()
        for name in ["autumn", "put-away", "spring", "summer"] { try await bench.create(name) }
        try await bench.create("asking", #", "approval": "one""#)
        _ = try await bench.store.tag("summer", adding: ["hot", "sale"], removing: [])
        _ = try await bench.store.tag("autumn", adding: ["sale"], removing: [])
        try await bench.store.archive("put-away")
        _ = try await bench.store.start("spring", key: "k")
        _ = try await bench.store.steer("spring", key: "k", .pause(reason: nil), after: nil)
        let console = bench.bench.console([.campaigns])
        for (query, expected) in [
            ("", ["asking", "autumn", "spring", "summer"]), ("state=paused", ["spring"]),
            ("state=unapproved", ["asking"]), ("state=running", []),
            ("tag=sale", ["autumn", "summer"]), ("tag=sale+hot", ["summer"]), ("name=um", ["autumn", "summer"]),
            ("name=%25", []), ("archived=only", ["put-away"]), ("archived=with&name=p", ["put-away", "spring"]),
        ] { #expect(names(try await console.page("/campaigns?\(query)")) == expected, "\(query)") }
    }

    @Test(arguments: [
        ("state=lost", "lost"), ("archived=perhaps", "perhaps"), ("colour=red", "colour"), ("name=%00", "U+0000"),
        ("after=%00", "after"),
    ])
    func whatCannotBeReadIsRefusedAtItsField(query: String, words: String) async throws {
        let response = try #require(
            try await RunBench.make().bench.console([.look]).get("/campaigns?\(query)"))
        #expect(response.status == 400)
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(page.contains(words) && page.contains("state bad") && !page.contains("data-part=\"campaigns\""))
    }

    @Test func noCampaignIsLostBetweenPages() async throws {
        let bench = try await RunBench.make()
        try await bench.create("first")
        try await bench.test.database.script(
            """
            INSERT INTO push.campaign (name, revision) SELECT 'c' || to_char(n, 'FM000'), 1 FROM generate_series(1, 120) n;
            INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
            SELECT c.id, 1, r.hash, r.spec FROM push.campaign c, push.campaign_revision r WHERE c.name <> 'first';
            """)
        let console = bench.bench.console([.approve])
        var address: String? = "/campaigns?name=c0&tag="
        var (seen, pages): ([String], Int) = ([], 0)
        while let next = address {
            let page = try await console.page(next)
            (seen, pages) = (seen + names(page), pages + 1)
            address = page.firstMatch(of: /<a href="([^"]*)" rel="next">/).map {
                String($0.1).replacing("&amp;", with: "&")
            }
        }
        #expect(seen == (1...99).map { $0 < 10 ? "c00\($0)" : "c0\($0)" } && pages == 2)
        #expect(try await console.page("/campaigns?after=zz").contains("No campaign comes behind &quot;zz&quot;."))
    }

    @Test func whatWaitsForAnApprovalSaysForWhose() async throws {
        let bench = try await RunBench.make()
        try await bench.create("one", #", "approval": "one""#)
        let approver = try await bench.bench.console([.approve]).page("/campaigns")
        #expect(approver.contains("<span class=\"state waits\">waits for your approval</span>"))
        #expect(approver.contains("by postgres: revision 1 is not approved: nothing is sent"))
        let owner = try await bench.bench.console([.campaigns]).page("/campaigns")
        #expect(owner.contains("<span class=\"state waits\">waits for an approval</span>"))
        try await bench.test.database.execute("SELECT push.reject('one', 1, 'wrong <b>picture</b>')")
        let rejected = try await bench.bench.console([.approve, .look]).page("/campaigns")
        #expect(rejected.contains("<span class=\"state bad\">rejected</span>"))
        #expect(rejected.contains("wrong &lt;b&gt;picture&lt;/b&gt;") && !rejected.contains("<b>picture"))
    }

    @Test func timesAreInTheSchedulesZoneAndInUTC() async throws {
        let bench = try await RunBench.make()
        try await bench.create("daily", #", "schedule": {"cron": "0 8 * * *", "zone": "America/New_York"}"#)
        try await bench.create("paused", #", "schedule": {"cron": "0 8 * * *", "zone": "UTC"}"#)
        try await bench.test.database.script(
            """
            UPDATE push.campaign SET next_at = d + interval '1 day 13 h', fires_at = d + interval '1 day 13 h',
                   upcoming = ARRAY[d + interval '1 day 13 h', d + interval '2 days 13 h', d + interval '20 days 13 h']
              FROM (SELECT date_trunc('day', now(), 'UTC') AS d) x WHERE name = 'daily';
            SELECT push.pause_schedule('paused', 'until <later>');
            """)
        let page = try await bench.bench.console([.look]).page("/campaigns")
        let local = try await bench.test.texts(
            "SELECT to_char(u.at AT TIME ZONE 'America/New_York', 'YYYY-MM-DD HH24:MI:SS') FROM push.campaign, unnest(upcoming) u(at) ORDER BY u.at"
        )
        #expect(local.allSatisfy { page.contains("\($0) America/New_York") })
        // In the table twice the next one and once those behind it; the week ahead ends before the third.
        #expect(page.matches(of: /America\/New_York/).count == 5)
        let week = try #require(page.firstRange(of: "A week ahead")).upperBound
        #expect(page[week...].contains(">daily</a></td>") && !page[week...].contains("paused"))
        #expect(page.contains("paused by postgres: until &lt;later&gt;"))
    }

    @Test(arguments: [Right.look, .campaigns, .approve]) func eachRoleReadsAllOfIt(right: Right) async throws {
        let bench = try await RunBench.withRun()
        let response = try #require(try await bench.bench.console([right]).get("/campaigns?state=running"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200 && !page.contains("Not shown"))
        #expect(names(page) == ["spring"])
    }

    @Test func itIsNotForOperatorsAlone() async throws {
        let bench = try await RunBench.make()
        #expect(try await bench.bench.console([.operate]).get("/campaigns")?.status == 403)
        #expect(try await bench.bench.console([]).get("/campaigns")?.status == 403)
        // Who has campaigns alone is led here.
        #expect(try await bench.bench.console([.campaigns]).get("/")?.headers[.location] == "/campaigns")
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await RunBench.withRun()
        for (query, right) in [
            ("", Right.look), ("state=running&tag=it-s+b&archived=with", .campaigns), ("name=it%27s&after=a", .approve),
        ] {
            let page = try #require(CampaignsPage(path: ["campaigns"], fields: FormFields(query[...])))
            let visit = Visit(person: Person("Ann", rights: [right]), options: ConsoleOptions(), now: 0)
            let content = page.content(of: .init(lines: .read([]), ahead: .read([])), for: visit)
            #expect(content.elsewhere.map(\.role) == [right.role, right.role])
            try await ElsewhereCheck.run(content.elsewhere, on: bench.test)
        }
    }

    @Test func aPartThatCannotBeReadLeavesTheOthers() async throws {
        let bench = try await RunBench.make()
        try await bench.test.database.script("REVOKE SELECT ON push.campaigns FROM push_monitor")
        let page = try await bench.bench.console([.look]).page("/campaigns")
        #expect(page.contains("Not shown: campaigns") && page.contains("A week ahead"))
    }
}
