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
        // As a problem of one hub leads here.
        let own = try await bench.console([.look]).page("/failures?hub=news")
        #expect(own.contains(">5</a>") && own.contains("Only those of hub news."))
        let other = try await bench.console([.look]).page("/failures?hub=%3cb%3e")
        #expect(other.contains("Only those of hub &lt;b&gt;.") && other.contains("None of them is of this hub."))
        #expect(!other.contains(">5</a>") && !other.contains("<b>.") && other.contains("Of all 5 results"))
    }

    /// Two causes with other numbers in their words, one of them in a campaign, too, and doubts.
    private func groups() async throws -> ConsoleBench {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, content, campaign)
            SELECT 'news', 't' || g, '{}', CASE WHEN g = 4 THEN 'spring' END FROM generate_series(1, 8) g ORDER BY g;
            DELETE FROM push.due;
            INSERT INTO push.result (id, arrival, status, reason, note)
            SELECT m.id, push_internal.next_arrival(),
                   CASE WHEN n > 6 THEN 'in_doubt' ELSE 'rejected' END::push.status,
                   CASE WHEN n > 6 THEN 'worker_lost' ELSE 'bad_request' END::push.reason,
                   CASE WHEN n > 6 THEN 'The worker ended' WHEN n > 4 THEN 'too odd' ELSE E'no <b>template\n' || n || '</b>' END
              FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM push.message) m;
            """)
        return bench
    }

    private func changed(_ bench: ConsoleBench) async throws -> [String] {
        try await bench.test.texts(
            "SELECT DISTINCT m.tag FROM push.result r JOIN push.message m USING (id) WHERE r.reason = 'resolved' ORDER BY 1"
        )
    }

    @Test func aGroupIsSentAgainAndNoOther() async throws {
        let bench = try await groups()
        let console = bench.console([.look, .operate])
        let forms = SeenForm.all(in: try await console.page("/failures"))
        #expect(forms.map(\.address) == ["/act/resolve-all", "/act/retry-all", "/act/retry-all", "/act/retry-all"])
        let form = try #require(
            forms.first {
                $0.fields.contains { $0 == ("words", "no <b>template …</b>") } && !$0.text.contains("spring")
            })
        let question = try await console.press(form)
        #expect(question.page.contains("Send 3 messages again?") && question.page.contains("without a campaign"))
        #expect(!question.page.contains("<b>template"))
        let record = try await console.carryOut(question)
        #expect(record.changed == 3 && record.page == ["failures"])
        #expect(try await changed(bench) == ["t1", "t2", "t3"])
    }

    @Test func aGroupOfDoubtsIsDecided() async throws {
        let bench = try await groups()
        let console = bench.console([.look, .operate])
        let form = try #require(SeenForm.all(in: try await console.page("/failures")).first)
        for decision in ["accepted", "rejected", "resend"] {
            #expect(form.text.contains("name=\"decision\" value=\"\(decision)\""))
        }
        let question = try await console.press(form, ("decision", "rejected"))
        #expect(try await console.carryOut(question).changed == 2)
        #expect(try await changed(bench) == ["t7", "t8"])
    }

    @Test func groupsHaveButtonsForThoseWhoMayAct() async throws {
        let bench = try await groups()
        #expect(SeenForm.all(in: try await bench.console([.look]).page("/failures")).isEmpty)
        var options = ConsoleOptions()
        options.isReadOnly = true
        #expect(SeenForm.all(in: try await bench.console(options: options).page("/failures")).isEmpty)
    }

    @Test func theSameInSQLAndAsACommandRuns() async throws {
        let bench = try await ConsoleBench.make()
        let rows = FailuresPage.Rows(doubts: .read(FailureGroups()), failures: .read(FailureGroups()))
        let page = try #require(FailuresPage(path: ["failures"], fields: .init("")))
        let visit = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        try await ElsewhereCheck.run(page.content(of: rows, for: visit).elsewhere, on: bench.test)
    }

    @Test func theLargestGroupsAreShownAndAllForWhoAsks() throws {
        var found = FailureGroups()
        found.groups = (1...60).map {
            FailureGroups.Group(
                hub: $0 == 60 ? "shop" : "news", status: "rejected", reason: "bad_request", note: "no \($0)",
                messages: Int64(100 - $0), first: "2027-01-01T00:00:00Z", last: "2027-01-01T00:00:00Z", example: 1)
        }
        let rows = FailuresPage.Rows(doubts: .read(FailureGroups()), failures: .read(found))
        let visit = Visit(person: Person("Ann", rights: [.look]), options: ConsoleOptions(), now: 0)
        func section(_ query: String) throws -> FailuresView.Section {
            let page = try #require(FailuresPage(path: ["failures"], fields: .init(query[...])))
            let view = try #require(page.content(of: rows, for: visit).view as? FailuresView)
            return try #require(view.sections.last)
        }
        let some = try section("hub=news")
        #expect(some.groups.count == FailuresView.most && some.groups[0].groupCount == "99")
        #expect(some.sectionMore == "all 59 groups" && some.sectionAll == "/failures?hub=news&all=1")
        let all = try section("hub=news&all=1")
        #expect(all.groups.count == 59 && all.sectionMore == nil)
        #expect(try section("hub=shop").groups.count == 1)
    }

    @Test func thePageSaysOfHowMany() {
        var groups = FailureGroups()
        (groups.looked, groups.more, groups.lookedBackTo) = (10_000, true, "2027-01-01T00:00:00Z")
        #expect(
            FailuresView.words(groups)
                == "Of the newest 10,000 results, back to 2027-01-01T00:00:00Z. There are more.")
    }
}
