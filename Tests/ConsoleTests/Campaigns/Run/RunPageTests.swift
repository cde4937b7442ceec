import HTTPServer
import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// The page of a run with a real database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RunPageTests {
    private static let address = RunBench.address

    private func parts(_ page: String) -> [String] {
        page.matches(of: /data-part="([a-z]+)"/).map { String($0.1) }.filter { $0 != "troubles" }
    }

    @Test func aRunShowsHowFarItIsAndWhy() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.look, .campaigns])
        let page = try await console.page(Self.address)
        #expect(page.contains("<title>Run 2027/03?%&lt;b&gt; of campaign spring – Fanfare</title>"))
        #expect(page.contains("<span class=\"state good\">running</span> since <time datetime="))
        #expect(page.contains("<progress max=\"10\" value=\"8\" aria-label=\"8 of 10 recipients\">"))
        #expect(page.contains("data-live=\"2\"") && page.contains("<dt>Started by</dt><dd>postgres,"))
        #expect(page.contains("<code>bad_request</code>") && page.contains("no &lt;such&gt; tag"))
        #expect(page.contains("<span class=\"state bad\">no worker</span>"))
        #expect(!page.contains("secret-words") && !page.contains("no <such>"))
        _ = try await bench.store.steer(
            "spring", key: RunBench.key, .pause(reason: "wrong <i>picture</i>"), after: nil)
        let paused = try await console.page(Self.address)
        #expect(paused.contains("<span class=\"state off\">paused</span>"))
        #expect(paused.contains("paused by postgres: wrong &lt;i&gt;picture&lt;/i&gt;"))
    }

    @Test func eachCountLeadsToItsMessages() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.look])
        let page = try await console.page(Self.address)
        for (status, count) in [("accepted", 6), ("rejected", 1), ("in_doubt", 1)] {
            let link = "/messages?campaign=spring&amp;run=2027%2f03%3f%25%3cb%3e&amp;status=\(status)"
            #expect(page.contains("<a href=\"\(link)\">\(count)</a>"), "\(status)")
            let messages = try await console.page(link.replacing("&amp;", with: "&"))
            #expect(messages.contains("\(count) message\(count == 1 ? "" : "s") in all with these filters."))
        }
        let others = try await bench.bench.console([.campaigns, .approve]).page(Self.address)
        #expect(!others.contains("/messages"))
    }

    /// What only some roles may read is left out for the others, and nothing is said to be missing.
    @Test(
        arguments: [
            ([.look], []), ([.approve], ["bounds"]), ([.campaigns], ["bounds", "minutes"]),
            ([.look, .operate], ["bounds", "minutes"]),
        ] as [(Set<Right>, [String])]) func eachRoleSeesWhatItMayRead(rights: Set<Right>, more: [String]) async throws
    {
        let bench = try await RunBench.withRun(#", "canary": {"share": 0.5}, "expires": "1 day""#)
        let response = try #require(try await bench.bench.console(rights).get(Self.address))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 200 && !page.contains("Not shown"))
        let acts = rights.isDisjoint(with: [.campaigns, .operate]) ? [] : ["actions"]
        #expect(Set(parts(page)) == Set(["state", "counts", "reasons", "hubs"] + acts + more))
    }

    @Test func itIsNotForOperatorsAlone() async throws {
        let bench = try await RunBench.withRun()
        #expect(try await bench.bench.console([.operate]).get(Self.address)?.status == 403)
    }

    @Test func timeZonesAreListedInTheirOrder() async throws {
        let bench = try await RunBench.withRun()
        try await bench.test.database.script(
            """
            INSERT INTO push.stream (run, hub, zone, zone_known, priority, release_at, expanded)
            SELECT run, hub, z.zone, z.zone <> 'UTC', 2, to_timestamp(1800000000) + z.ahead, 0
              FROM push.stream, (VALUES ('America/New_York', interval '5 h'), ('UTC', interval '-1 h'), ('Asia/Tokyo', interval '-9 h')) z(zone, ahead);
            """)
        let page = try await bench.bench.console([.campaigns]).page(Self.address)
        let places = ["Asia/Tokyo", "UTC <span", "America/New_York"].map { page.firstRange(of: ">\($0)")?.lowerBound }
        #expect(places.allSatisfy { $0 != nil } && places.compactMap(\.self) == places.compactMap(\.self).sorted())
        #expect(page.contains("0 of 3 time zones are made.") && page.contains("opens later"))
    }

    @Test(
        arguments: [
            (
                "spring", "other",
                "has no run &quot;other&quot;. Its newest run is <a href=\"\(RunBench.address)\">"
            ),
            ("never", "k", "It was never started."),
            ("nothing", "k", "No run &quot;k&quot; of a campaign &quot;nothing&quot;"),
            ("spring", "%00", "No run &quot;U+0000&quot;"), ("%3Cscript%3E", "%3Cb%3E", "&lt;script&gt;"),
            ("spring", String(repeating: "x", count: 4_000), "has no run"), ("1%27--", "%25", "No run"),
        ]) func anUnknownRunIsNotFoundAndTheNewestIsNamed(campaign: String, key: String, words: String) async throws
    {
        let bench = try await RunBench.withRun()
        try await bench.create("never")
        let response = try #require(
            try await bench.bench.console([.look]).get("/campaigns/\(campaign)/runs/\(key)"))
        let page = String(decoding: response.body, as: UTF8.self)
        #expect(response.status == 404 && page.contains(words), "\(page)")
        #expect(!page.contains("<script>") && !page.contains("could not"))
    }

    @Test func aRunThatIsOverOffersNothingThatWouldDoNothing() async throws {
        let bench = try await RunBench.withRun()
        let open = try await bench.bench.console([.campaigns]).page(Self.address)
        for name in ["pause-run", "cancel-run", "set-run-rate", "retry-run", "resolve-run"] {
            #expect(open.contains("action=\"/act/\(name)\""), "\(name)")
        }
        #expect(!open.contains("/act/resume-run"))
        try await bench.test.database.script(
            """
            DELETE FROM push.due;
            UPDATE push.result SET status = 'accepted', reason = 'taken_by_hub';
            UPDATE push.run SET state = 'done', ended_at = now();
            """)
        let over = try await bench.bench.console([.campaigns]).page(Self.address)
        #expect(over.contains("<span class=\"state good\">done</span>") && !over.contains("action=\"/act/"))
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await RunBench.withRun(key: "it's -x")
        try await bench.test.database.script("UPDATE push.result SET status = 'accepted', reason = 'taken_by_hub'")
        let run = RunReference(campaign: "spring", key: "it's -x")
        for rights in [[Right.look], [.campaigns], [.approve], [.look, .operate]] as [Set<Right>] {
            try await ElsewhereCheck.run(
                RunElsewhere.all(of: run, for: Person("Ann", rights: rights)), on: bench.test)
        }
    }

    @Test func aPartThatCannotBeReadLeavesTheOthers() async throws {
        let bench = try await RunBench.withRun()
        try await bench.test.database.script("REVOKE SELECT ON push.run_hubs FROM push_approve")
        // How far it is names the hubs without a worker, too.
        let page = try await bench.bench.console([.look, .approve]).page(Self.address)
        #expect(!page.contains("Not shown"))
        try await bench.test.database.script("REVOKE EXECUTE ON FUNCTION push.failures_of_run FROM push_monitor")
        let less = try await bench.bench.console([.look]).page(Self.address)
        #expect(less.contains("Not shown: reasons") && less.contains("<progress") && less.contains(">no worker</span>"))
    }
}
