import Store
import TestSupport
import Testing

@testable import Console

@Suite(.timeLimit(.minutes(10))) struct FailuresPageTests {
    @Test func failuresAreGroupedByTheirCause() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 't' || g, '{}' FROM generate_series(1, 5) g;
            DELETE FROM push.due;
            INSERT INTO push.result (id, arrival, status, reason, note)
            SELECT id, push_internal.next_arrival(), 'rejected', 'bad_request', 'the hub said <b>no</b>' FROM push.message;
            """)
        let page = try await bench.console([.look]).page("/failures")
        #expect(page.contains(">5</a>") && page.contains("bad_request") && page.contains("&lt;b&gt;no&lt;/b&gt;"))
        #expect(page.contains("Nothing is in doubt.") && page.contains("Of all 5 results"))
        #expect(page.contains("/messages?hub=news&amp;status=rejected&amp;reason=bad_request"))
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await ConsoleBench.make()
        let rows = FailuresPage.Rows(doubts: .read(FailureGroups()), failures: .read(FailureGroups()))
        let page = try #require(FailuresPage(path: ["failures"], fields: .init("")))
        let visit = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        try await ElsewhereCheck.run(page.content(of: rows, for: visit).elsewhere, on: bench.test)
    }

    @Test func thePageSaysOfHowMany() {
        var groups = FailureGroups()
        (groups.looked, groups.more, groups.lookedBackTo) = (10_000, true, "2027-01-01T00:00:00Z")
        #expect(
            FailuresView.words(groups)
                == "Of the newest 10,000 results, back to 2027-01-01T00:00:00Z. There are more.")
    }
}
