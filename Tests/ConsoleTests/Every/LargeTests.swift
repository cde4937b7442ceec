import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// Much of everything: pages stay small, and lose nothing.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LargeTests {
    @Test func tenThousandCampaignsAreListedByPages() async throws {
        let bench = try await RunBench.make()
        try await bench.create("first")
        try await bench.test.database.script(
            """
            INSERT INTO push.campaign (name, revision) SELECT 'c' || to_char(n, 'FM00000'), 1 FROM generate_series(1, 10000) n;
            INSERT INTO push.campaign_revision (campaign, revision, hash, spec)
            SELECT c.id, 1, r.hash, r.spec FROM push.campaign c, push.campaign_revision r WHERE c.name <> 'first';
            """)
        let console = bench.bench.console([.campaigns])
        let page = try await console.page("/campaigns")
        #expect(
            page.contains("The first 50 campaigns by name.") && page.contains(">c00001</a>") && page.utf8.count < 60_000
        )
        let last = try await console.page("/campaigns?after=c09999")
        #expect(last.contains(">c10000</a>") && last.contains(">first</a>") && !last.contains("rel=\"next\""))
        #expect(try await console.page("/campaigns?name=c0999").contains("10 campaigns in all with these filters."))
    }

    /// Forty languages; a spec of 1 MB is in `WritePageTests`.
    @Test func aCampaignInFortyLanguagesIsShown() async throws {
        let bench = try await RunBench.make()
        let letters = "abcdefgh".map(String.init)
        let locales = (0..<40).map { "\(letters[$0 / 8])\(letters[$0 % 8])-AB" }
        let content = locales.map { "\"\($0)\": {\"title\": \"\(String(repeating: "Ω<b> ", count: 100))\"}" }
        _ = try await bench.store.create(
            "large",
            spec: #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {\#(content.joined(separator: ", "))}}"#,
            draft: true)
        let console = bench.bench.console([.campaigns])
        for address in ["/campaigns/large", "/campaigns/large/edit"] {
            let page = try await console.page(address)
            #expect(locales.allSatisfy(page.contains) && !page.contains("Ω<b>"), "\(address)")
            #expect(!page.contains("Not shown") && page.utf8.count < 600_000, "\(address): \(page.utf8.count)")
        }
    }
}
