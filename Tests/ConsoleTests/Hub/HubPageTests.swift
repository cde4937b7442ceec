import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct HubPageTests {
    @Test func aHubShowsItsStateAndWhatEndsIt() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.beat()
        let console = bench.console([.look])
        let open = try await console.page("/hubs/news")
        #expect(open.contains("<title>Hub news – Fanfare</title>"))
        #expect(open.contains("<span class=\"state good\">open</span>") && !open.contains("What ends it"))
        #expect(open.contains("<dd>12 of 64 posts in flight</dd>") && open.contains("<dd>30 a second of late</dd>"))

        try await bench.test.database.execute("SELECT push.pause_hub('news', 'new <b>key</b>')")
        let paused = try await console.page("/hubs/news")
        #expect(paused.contains("<span class=\"state off\">paused</span> since <time datetime="))
        #expect(paused.contains("<dd>paused by postgres: new &lt;b&gt;key&lt;/b&gt;</dd>"))
        #expect(paused.contains("<dt>What ends it</dt><dd>push.resume_hub</dd>"))
        #expect(!paused.contains("new <b>"))
    }

    @Test func eachWorkerAndWhichOneDiffersIsShown() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.beat("host/1") { $0.skewSeconds = -90 }
        try await bench.beat("host/<2>") { report in
            report.settingsHash = "other"
            report.tokenExpiresAt = 1_800_000_600
            report.key = .secondary
        }
        let page = try await bench.console([.look]).page("/hubs/news")
        #expect(page.contains("<th scope=\"row\">host/&lt;2&gt;</th>") && !page.contains("host/<2>"))
        #expect(page.contains("<td data-label=\"Settings\">others than registered</td>"))
        #expect(page.contains("<td data-label=\"Settings\">as registered</td>"))
        #expect(page.contains("<span class=\"state bad\">differ</span> at host/&lt;2&gt;."))
        #expect(page.contains("<dd>90 s behind the hub&#39;s</dd>"))
        #expect(page.contains(">10 min</time> left"))
    }

    @Test func resultsOfTheLastHourAreCounted() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.tally SELECT \(bench.hub), date_trunc('minute', now()) - g * interval '1 minute', 'accepted', 'taken_by_hub', 1000
              FROM generate_series(0, 200) g;
            INSERT INTO push.tally VALUES
                (\(bench.hub), date_trunc('minute', now()), 'rejected', 'bad_request', 7),
                (\(bench.hub), now() - interval '1 minute', 'retrying', 'throttled', 3);
            """)
        let page = try await bench.console([.look]).page("/hubs/news")
        // 60 minutes that are over, and the one that is not; the test may see the next one begin.
        #expect(page.contains("61,000</td>") || page.contains("60,000</td>"))
        #expect(
            page.contains(
                "<span class=\"state bad\">rejected</span></td><td data-label=\"Reason\"><code>bad_request</code></td>"
                    + "<td data-label=\"Who must act\">content</td><td data-label=\"Results\">7</td>"))
        #expect(page.contains("<span class=\"state waits\">retrying</span>"))
    }

    @Test func aHubThatNobodyServesSaysSo() async throws {
        let page = try await ConsoleBench.make().console([.look]).page("/hubs/news")
        #expect(page.contains("<span class=\"state bad\">unserved</span> since"))
        #expect(page.contains("<dd>no worker serves it</dd>"))
        #expect(page.contains("<dt>Served by</dt><dd>0 workers</dd>"))
    }

    @Test func changesOfDevicesThatWaitAndWereRefusedAreReached() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            UPDATE push.hub_state SET devices_until = now() + interval '1 hour', devices_why = 'no right <Listen>' WHERE hub = \(bench.hub);
            INSERT INTO push.hub_state (hub, devices_until, devices_why)
            VALUES (\(bench.hub), now() + interval '1 hour', 'no right <Listen>') ON CONFLICT DO NOTHING;
            INSERT INTO push.installation_change (hub, device, action, document)
            SELECT \(bench.hub), 'd' || g, 'drop', '{}' FROM generate_series(1, 60) g;
            INSERT INTO push.installation_result (id, status) SELECT c.id, 'refused' FROM push.installation_change c;
            """)
        let page = try await bench.console([.look]).page("/hubs/news")
        #expect(page.contains("<span class=\"state waits\">closed</span> no right &lt;Listen&gt; until"))
        #expect(page.contains("<a href=\"/devices?hub=news&amp;status=refused&amp;since=24h\">50+ refused</a>"))
    }

    @Test(
        arguments: [
            ("nwes", "news"), ("NEWS", "news"), ("newss", "news"), ("sport", nil), ("a%2Fb%3F%25", nil), ("%00", nil),
            ("%3Cscript%3E", nil), (String(repeating: "x", count: 4_000), nil),
        ] as [(String, String?)])
    func anUnknownNameIsNotFoundAndTheNearestIsNamed(_ name: String, _ nearest: String?) async throws {
        let bench = try await ConsoleBench.make()
        let response = try #require(try await bench.console([.look]).get("/hubs/\(name)"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 404)
        #expect(page.contains("Did you mean <a href=\"/hubs/news\">news</a>?") == (nearest != nil))
        #expect(page.contains("Registered: <a href=\"/hubs/news\">news</a>"))
        #expect(!page.contains("<script>") && !page.contains("could not"))
    }

    @Test func aHubThatWasRemovedIsNotFound() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.execute("SELECT push.remove_hub('news')")
        let response = try #require(try await bench.console([.look]).get("/hubs/news"))
        #expect(response.status == 404)
        #expect(String(decoding: response.body, as: UTF8.self).contains("No hub is registered yet"))
    }

    @Test func itIsForThoseWhoMayLook() async throws {
        let bench = try await ConsoleBench.make()
        #expect(try await bench.console([.campaigns, .approve]).get("/hubs/news")?.status == 403)
    }

    @Test func aPartThatCannotBeReadLeavesTheOthers() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script("REVOKE SELECT ON push.hub_workers FROM push_monitor")
        let page = try await bench.console([.look]).page("/hubs/news")
        #expect(
            page.contains("Not shown: workers") && page.contains(">open</span>") && page.contains("Registered settings")
        )
    }

    @Test func itsDatabaseMayBeAway() async throws {
        let away = Database(DatabaseSettings(url: "host=/nowhere dbname=none"))
        let page = try await TestConsole(away).page("/hubs/news")
        #expect(page.contains("The state of this hub is not known.") && page.contains("Not shown: names of hubs"))
        await away.close()
    }

    @Test func theSameInSQLAndAsCommandsRuns() async throws {
        let bench = try await ConsoleBench.make()
        try await ElsewhereCheck.run(HubElsewhere.all(of: "news"), on: bench.test)
    }

    /// Settings are registered without secrets, and stand there as they are.
    @Test func theRegisteredSettingsAreShown() async throws {
        let page = try await ConsoleBench.make().console([.look]).page("/hubs/news")
        #expect(page.contains("<code>window</code></th><td data-label=\"Value\">\(TestWorker.news.window)</td>"))
        #expect(page.contains("{&quot;"))  // languages
    }
}
