import Pages
import Postgres
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct AuditPageTests {
    @Test func anEntryNamesThePersonTheLoginAndHowMany() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.audit (who, person, action, detail)
            VALUES ('console', 'Eve <b>', 'retry', '{"ids": [1, 2, 3, 4, 5, 6, 7], "messages": 6, "note": "a <i>"}');
            """)
        let page = try await bench.console([.operate]).page("/audit")
        #expect(
            page.contains(
                "<a href=\"/audit?person=Eve%20%3cb%3e\">Eve &lt;b&gt;</a></td><td data-label=\"As\">console</td>"))
        #expect(
            page.contains("ids: 1 2 3 4 5 … (7), note: a &lt;i&gt;</td><td data-label=\"How many\">6 messages</td>"))
        #expect(!page.contains("Eve <b>") && !page.contains("a <i>"))
    }

    @Test func eachFilterCounts() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            TRUNCATE push.audit;
            INSERT INTO push.audit (person, who, action, at) VALUES
                ('anna', 'anna', 'cancel', now() - interval '3 days'), ('ben', 'ben', 'cancel', now() - interval '2 days'),
                ('anna', 'anna', 'pause_hub', now() - interval '1 day');
            """)
        let console = bench.console([.operate])
        func count(_ query: String) async throws -> Int {
            try await console.page("/audit?\(query)").matches(of: /data-label="Did"/).count
        }
        for (query, expected) in [
            ("", 3), ("person=anna", 2), ("person=ann", 0), ("action=cancel", 2), ("action=cancel&person=anna", 1),
            ("since=60h", 2), ("until=36h", 2), ("since=60h&until=36h", 1), ("since=1h", 0), ("until=9000d", 0),
        ] {
            #expect(try await count(query) == expected, "\(query)")
        }
    }

    @Test func noEntryIsLostBetweenPages() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            TRUNCATE push.audit;
            INSERT INTO push.audit (action, at) SELECT 'a' || g, '2026-01-01' FROM generate_series(1, 120) g;
            """)
        var address: String? = "/audit?since=2025-12-31"
        var seen: [Int] = []
        while let next = address {
            let page = try await bench.console([.operate]).page(next)
            seen += page.matches(of: />a([0-9]+)<\/a>/).compactMap { Int($0.1) }
            let link = page.firstMatch(of: /<a href="([^"]*)" rel="next">/)
            address = link.map { String($0.1).replacing("&amp;", with: "&") }
        }
        #expect(seen == Array((1...120).reversed()))
    }

    @Test(arguments: [
        ("since=today", "&quot;today&quot; is no time"), ("until=%3Cb%3E", "&quot;&lt;b&gt;&quot; is no time"),
        ("before=9999999999999999999", "No id is as large"), ("who=x", "There is no filter &quot;who&quot;."),
    ]) func whatCannotBeReadIsSaidAndNothingIsShown(_ query: String, _ words: String) async throws {
        let response = try #require(try await ConsoleBench.make().console([.operate]).get("/audit?\(query)"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 400)
        #expect(page.contains(words) && !page.contains("<tbody>"))
    }

    @Test func itIsForOperatorsAlone() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console([.look, .campaigns, .approve])
        #expect(try await console.get("/audit")?.status == 403)
        let about = try await console.page("/about")
        #expect(!about.contains(">Audit</a>"))
        #expect(try await bench.console([.operate]).page("/about").contains(">Audit</a>"))
    }

    @Test(arguments: ["", "person=it%27s%20%5C&action=cancel&since=2h&until=2026-01-02&before=7"])
    func theSameInSQLRuns(_ query: String) async throws {
        let bench = try await ConsoleBench.make()
        try await ElsewhereCheck.run([AuditFilter(FormFields(query[...])).elsewhere], on: bench.test)
    }
}
