import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct DevicesPageTests {
    /// Changes of `count` devices, each with a handle, a tag and a document that no page may show.
    private func bench(_ count: Int = 3) async throws -> ConsoleBench {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            SELECT push.put_device('news', 'd' || g, 'apns', '00FC13ADDEADBEEF', tags => '{secret-tag}', user_id => 'secret-user')
              FROM generate_series(1, \(count)) g;
            """)
        return bench
    }

    @Test func changesAreListedFromTheNewestOnWithoutWhatTheySay() async throws {
        let page = try await bench().console([.look]).page("/devices")
        let places = ["d3", "d2", "d1"].map { page.firstRange(of: ">\($0)</a>")?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(page.contains("<span class=\"state waits\">waiting</span>") && page.contains("put by postgres"))
        for secret in ["00FC13ADDEADBEEF", "secret-tag", "secret-user"] { #expect(!page.contains(secret)) }
    }

    @Test func eachFilterCounts() async throws {
        let bench = try await bench()
        try await bench.test.database.script(
            """
            SELECT push.add_hub('sport');
            SELECT push.drop_device('sport', 'other');
            INSERT INTO push.installation_result (id, status, error) SELECT id, 'refused', '<b>no</b>' FROM push.installation_change WHERE device = 'd2';
            UPDATE push.installation_change SET at = now() - interval '3 days' WHERE device = 'd1';
            """)
        let console = bench.console([.look])
        func devices(_ query: String) async throws -> Set<String> {
            let page = try await console.page("/devices?\(query)")
            return Set(["d1", "d2", "d3", "other"].filter { page.contains(">\($0)</a>") })
        }
        #expect(try await devices("") == ["d1", "d2", "d3", "other"])
        #expect(try await devices("device=d1") == ["d1"])
        #expect(try await devices("hub=sport") == ["other"])
        #expect(try await devices("status=refused") == ["d2"])
        #expect(try await devices("since=2d") == ["d2", "d3", "other"])
        #expect(try await devices("device=nobody&hub=news") == [])
        #expect(try await console.page("/devices?status=refused").contains("&lt;b&gt;no&lt;/b&gt;"))
    }

    @Test func whatWaitsAtAHubIsCancelled() async throws {
        let bench = try await bench(2)
        func forms(_ rights: Set<Right>, _ query: String) async throws -> [SeenForm] {
            SeenForm.all(in: try await bench.console(rights).page("/devices" + query))
        }
        #expect(try await forms([.look], "?hub=news").isEmpty)
        #expect(try await forms([.look, .operate], "").isEmpty, "of which hub?")
        #expect(try await forms([.look, .operate], "?hub=none").isEmpty)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try #require(try await forms([.look, .operate], "?hub=news").first))
        #expect(question.page.contains("2 changes of devices wait there now."))
        #expect(try await console.carryOut(question, typed: "news").changed == 2)
        #expect(try await bench.test.texts("SELECT DISTINCT status FROM push.device_status") == ["refused"])
    }

    /// Rows of one second, too: the next page begins behind an id.
    @Test func noChangeIsLostBetweenPages() async throws {
        let console = try await bench(120).console([.look])
        var address: String? = "/devices?hub=news"
        var seen: [Int] = []
        while let next = address {
            let page = try await console.page(next)
            seen += page.matches(of: />d([0-9]+)<\/a>/).compactMap { Int($0.1) }
            let link = page.firstMatch(of: /<a href="([^"]*)" rel="next">/)
            address = link.map { String($0.1).replacing("&amp;", with: "&") }
        }
        #expect(seen == Array((1...120).reversed()))
    }

    @Test func behindTheLastPageNothingIsLeft() async throws {
        let page = try await bench().console([.look]).page("/devices?before=1")
        #expect(page.contains("No older changes: nothing is below id 1."))
        #expect(page.contains("<a href=\"/devices?since=7d\">The newest</a>"))
    }

    @Test(arguments: [
        ("since=now", "&quot;now&quot; is no time"), ("status=gone", "There is no status &quot;gone&quot;."),
        ("before=1000000000000000000000000000000", "No id is as large"),
        ("tag=x", "There is no filter &quot;tag&quot;."),
        ("hub=nwes", "hub &quot;nwes&quot; is not registered"), ("device=%00", "U+0000"),
    ]) func whatCannotBeReadIsSaidBesideItsFieldAndNothingIsShown(_ query: String, _ words: String) async throws {
        let response = try #require(try await bench().console([.look]).get("/devices?\(query)"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 400)
        #expect(page.contains(words) && !page.contains("<tbody>") && !page.contains("Not shown"))
    }

    @Test func hostileNamesAreText() async throws {
        let bench = try await ConsoleBench.make()
        let name = "'><script>alert(1)</script>&\"/?%2F\u{202E}"
        try await bench.test.database.execute("SELECT push.drop_device('news', \(name))")
        let page = try await bench.console([.look]).page(
            ConsoleAddress.text(base: "", ["devices"], [("device", name)]))
        #expect(page.contains("&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;/?%2F"))
        #expect(!page.contains("<script>alert"))
        // The link of the row leads to the same device.
        let link = try #require(page.firstMatch(of: /<a href="(\/devices\?device=[^"]*)">/)).1
        let again = try await bench.console([.look]).page(String(link).replacing("&amp;", with: "&"))
        #expect(again.contains("All 1 changes.") || again.contains("1 changes"))
        let filter = DeviceFilter(FormFields(ConsoleAddress.text(base: "", [], [("device", name)]).dropFirst(2)))
        try await ElsewhereCheck.run([filter.elsewhere], on: bench.test)
    }

    @Test(arguments: ["", "hub=news&status=refused&since=2h", "device=-x&since=2026-01-02T03:04:05.5Z&before=7"])
    func theSameInSQLAndAsACommandRuns(_ query: String) async throws {
        let bench = try await ConsoleBench.make()
        try await ElsewhereCheck.run([DeviceFilter(FormFields(query[...])).elsewhere], on: bench.test)
    }

    @Test func itIsForThoseWhoMayLook() async throws {
        #expect(try await bench().console([.campaigns, .approve]).get("/devices")?.status == 403)
    }
}
