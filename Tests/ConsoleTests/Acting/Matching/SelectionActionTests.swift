import HTTPServer
import Pages
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// Actions on all that match, from the button to the database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SelectionActionTests {
    private let evil = LookFixture.evil

    /// Messages of the hub `news` that were rejected, with tags `t1`, `t2`, …
    private func bench(_ count: Int, _ more: String = "") async throws -> ConsoleBench {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 't' || g, '{}' FROM generate_series(1, \(count)) g ORDER BY g;
            DELETE FROM push.due;
            INSERT INTO push.result (id, arrival, status, reason, note)
            SELECT id, push_internal.next_arrival(), 'rejected', 'bad_request', 'the hub said no' FROM push.message;
            \(more)
            """)
        return bench
    }

    private func form(_ console: TestConsole, _ query: String, _ action: String) async throws -> SeenForm {
        let page = try await console.page("/messages?" + query)
        return try #require(SeenForm.all(in: page).first { $0.address == "/act/" + action }, "\(page)")
    }

    /// How often messages were sent again, by tag.
    private func retries(_ bench: ConsoleBench) async throws -> [String] {
        try await bench.test.texts(
            """
            SELECT m.tag || ' ' || count(*) FROM push.result r JOIN push.message m USING (id)
             WHERE r.status = 'retrying' AND r.reason = 'resolved' GROUP BY m.tag ORDER BY m.tag
            """)
    }

    private func fails(_ tag: String, _ status: String = "rejected") -> String {
        """
        INSERT INTO push.result (id, arrival, status, reason, note)
        SELECT id, push_internal.next_arrival(), '\(status)', 'bad_request', 'again' FROM push.message WHERE tag = '\(tag)';
        """
    }

    @Test func whatFailedIsSentAgainAndNothingElse() async throws {
        let bench = try await bench(
            3,
            """
            INSERT INTO push.message (hub, tag, content) VALUES ('news', 'due', '{}');
            UPDATE push.result SET reason = 'too_large' WHERE id = (SELECT id FROM push.message WHERE tag = 't2');
            """)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news&reason=bad_request", "retry-all"))
        #expect(question.page.contains("Send 2 messages again?") && question.page.contains("2 are rejected"))
        #expect(question.page.contains("hub news, reason bad_request"))
        #expect(try await retries(bench).isEmpty)
        let record = try await console.carryOut(question)
        #expect(record.state == .done && record.changed == 2 && record.title == "Send 2 messages again")
        #expect(try await retries(bench) == ["t1 1", "t3 1"])
        #expect(try await bench.test.texts("SELECT person FROM push.audit WHERE action = 'retry'") == ["Ann"])
    }

    @Test func whatComesAfterTheQuestionIsNotTouched() async throws {
        let bench = try await bench(2)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news&status=rejected", "retry-all"))
        try await bench.test.database.script(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'later', '{}'); DELETE FROM push.due; \(fails("later"))"
        )
        #expect(try await console.carryOut(question).changed == 2)
        #expect(try await retries(bench) == ["t1 1", "t2 1"])
    }

    /// riverui #623: somebody else had sent it again, and it had failed again.
    @Test func whatSomebodyElseSentAgainMeanwhileIsNotSentTwice() async throws {
        let bench = try await bench(2)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news&status=rejected", "retry-all"))
        try await bench.test.database.script(
            """
            SELECT push.retry(ARRAY(SELECT id FROM push.message WHERE tag = 't1')); DELETE FROM push.due;
            SELECT pg_sleep(0.002); \(fails("t1"))
            """)
        #expect(try await console.carryOut(question).changed == 1)
        #expect(try await retries(bench) == ["t1 1", "t2 1"])
        // Of a new question it is a part.
        let again = try await console.press(try await form(console, "hub=news&status=rejected", "retry-all"))
        #expect(again.page.contains("Send 1 message again?"))
    }

    @Test func whatIsGoneMeanwhileIsSaidAndNothingIsDone() async throws {
        let bench = try await bench(1)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news&status=rejected", "retry-all"))
        try await bench.test.database.script("SELECT push.retry(ARRAY(SELECT id FROM push.message))")
        let late = try SeenQuestion(try await console.confirm(question))
        #expect(late.status == 200 && late.form == nil && late.page.contains("sent again meanwhile"))
    }

    @Test func whatMatchesNothingIsNotAsked() async throws {
        let bench = try await bench(1)
        let console = bench.console([.look, .operate])
        let page = try await console.page("/messages?hub=news&status=accepted")
        #expect(!page.contains("All that match"))
        let asked = try await console.ask("/act/cancel-all", fields: [("hub", "news"), ("tag", evil)])
        #expect(asked.form == nil && asked.page.contains("None of them waits any more") && !asked.page.contains(evil))
        let unknown = try await console.ask("/act/retry-all", fields: [("hub", evil)])
        #expect(unknown.form == nil && unknown.page.contains("could not be counted") && !unknown.page.contains(evil))
        #expect(try await console.post("/act/retry-all", [:])?.status == 422)
        #expect(try await console.post("/act/resolve-all", ["hub": "news", "decision": "maybe"])?.status == 422)
    }

    @Test func aboveAThousandTheCountIsTypedAsShown() async throws {
        let bench = try await bench(1_200)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news&status=rejected", "retry-all"))
        #expect(question.page.contains("Type <b>1,200</b> to confirm"))
        let refused = try SeenQuestion(try await console.confirm(question, typed: "1200 "))
        #expect(refused.status == 422 && refused.page.contains("Nothing was done."))
        // One of them was sent again meanwhile: it stays the count that was shown.
        try await bench.test.database.script("SELECT push.retry(ARRAY(SELECT id FROM push.message WHERE tag = 't7'))")
        let record = try await console.carryOut(refused, typed: "1,200")
        #expect(record.state == .done && record.changed == 1_199 && record.remarks.isEmpty)
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'retry'") == 4)
    }

    /// A step whose answer was lost, and an action that was stopped: begun again, they find the rest.
    @Test func begunAgainItDoesNothingTwice() async throws {
        let bench = try await bench(1_200)
        let database = bench.test.database
        let newest = try await Messages(database: database).newest()
        var action = try RetryAllAction(FormFields("hub=news&status=rejected"))
        action.selection = action.selection.frozen(newest.id, asked: newest.at)
        let first = try await action.step(database, after: nil)
        #expect(first.changed == 500)
        #expect(try await action.step(database, after: nil).changed == 500, "those of the first step are left alone")
        var mark = first.next
        var rest: Int64 = 0
        repeat {
            let step = try await action.step(database, after: mark)
            (mark, rest) = (step.next, rest + step.changed)
        } while mark != nil
        #expect(rest == 200)
        #expect(
            try await bench.test.number(
                "SELECT max(n) FROM (SELECT count(*) AS n FROM push.result WHERE reason = 'resolved' GROUP BY id) c")
                == 1)
    }

    @Test func whatIsErasedIsLeftOut() async throws {
        let bench = try await bench(5, "SELECT push.erase(ARRAY(SELECT id FROM push.message WHERE tag = 't3'));")
        let console = bench.console([.look, .operate])
        let record = try await console.carryOut(
            try await console.press(try await form(console, "hub=news&status=rejected", "retry-all")))
        #expect(record.state == .done && record.changed == 4)
        #expect(record.remarks.joined().contains("was erased") && record.remarks.joined().contains("1 message stayed"))
    }

    @Test func whatWaitsIsCancelled() async throws {
        let bench = try await bench(
            1,
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            SELECT 'news', 'w' || g, '{}', CASE WHEN g > 100 THEN now() + interval '1 hour' END FROM generate_series(1, 205) g;
            """)
        let console = bench.console([.look, .operate])
        let question = try await console.press(try await form(console, "hub=news", "cancel-all"))
        #expect(question.page.contains("105 are scheduled, 100 are due"))
        try await bench.test.database.script(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'later', '{}')")
        let record = try await console.carryOut(question)
        #expect(record.state == .done && record.changed == 205)
        #expect(
            try await bench.test.texts(
                "SELECT status::text || ' ' || count(*) FROM push.message_status GROUP BY status ORDER BY status::text")
                == ["cancelled 205", "due 1", "rejected 1"])
    }

    @Test(arguments: [("accepted", "accepted"), ("rejected", "rejected"), ("resend", "retrying")])
    func doubtsAreDecided(decision: String, status: String) async throws {
        let bench = try await bench(
            3,
            "UPDATE push.result SET status = 'in_doubt', reason = 'worker_lost' WHERE id <> (SELECT min(id) FROM push.message);"
        )
        let console = bench.console([.look, .operate])
        let forms = SeenForm.all(in: try await console.page("/messages?hub=news&reason=worker_lost"))
        let form = try #require(forms.first { $0.fields.contains { $0 == ("decision", decision) } })
        let question = try await console.press(form)
        #expect(question.page.contains("Decide 2 messages in doubt?") && question.page.contains("2 are in_doubt"))
        #expect(try await console.carryOut(question).changed == 2)
        #expect(
            try await bench.test.texts(
                "SELECT DISTINCT status::text FROM push.result WHERE reason = 'resolved'") == [status])
    }

    @Test func theServerAsksForTheRight() async throws {
        let bench = try await bench(1)
        for name in ["retry-all", "cancel-all", "resolve-all"] {
            let fields: KeyValuePairs = ["hub": "news", "decision": "accepted"]
            #expect(try await bench.console([.look, .campaigns]).post("/act/" + name, fields)?.status == 403)
            #expect(try await bench.console([.operate]).post("/act/" + name, fields)?.status == 200)
        }
    }

    /// The statements of the question are those for a login of operators.
    @Test(arguments: [
        "hub=news", "tag=it%27s&since=2d", "hub=news&cause=1&words=the+hub+%22said%22+no", "hub=news&cause=1",
    ])
    func theSameInSQLRuns(query: String) async throws {
        let bench = try await bench(2)
        let operators = try await bench.test.login(as: "push_operator")
        let newest = try await Messages(database: bench.test.database).newest()
        let selection = try MessageSelection(FormFields(query[...])).frozen(newest.id, asked: newest.at)
        let count = SelectionCount(parts: [.init(status: .rejected, messages: 2)])
        for elsewhere in [
            RetryAllAction(selection).question(about: count), CancelAllAction(selection).question(about: count),
            ResolveAllAction(selection, as: .resend).question(about: count),
        ].flatMap(\.elsewhere) {
            try await operators.database.script("BEGIN; \(try #require(elsewhere.sql)); ROLLBACK;")
        }
    }

    /// The way back has the filters, and the way to what was changed those that it still matches.
    @Test func theLinksKeepTheFilters() async throws {
        let bench = try await bench(3)
        let console = bench.console([.look, .operate])
        let query = "hub=news&status=rejected&tag=t1"
        let question = try await console.press(try await form(console, query, "retry-all"))
        #expect(question.page.contains("href=\"/messages?hub=news&amp;status=rejected&amp;tag=t1\""))
        let record = try await console.carryOut(question)
        let page = try await console.page("/actions/\(record.id)")
        #expect(page.contains("<a href=\"/messages?hub=news&amp;tag=t1\">See what it changed</a>"))
    }

    @Test func anActionThatWasStoppedCanBeBegunAgainWithTheSameQuestion() throws {
        let selection = try MessageSelection(FormFields("hub=news")).frozen(7, asked: "2027-01-15T08:00:00.000Z")
        var record = ActionRecord(
            id: "a", title: "Send 3 messages again", person: "Ann", began: 0,
            form: ActionForm(RetryAllAction(selection)))
        let visit = Visit(person: Person("Ben", rights: [.operate]), options: ConsoleOptions(), now: 0)
        #expect(ActionView(record, for: visit).again == nil)
        record.state = .stopped
        let again = try #require(ActionView(record, for: visit).again)
        #expect(
            again.actionAddress == "/act/retry-all"
                && again.actionFields.contains { $0.hiddenName == "newest" && $0.hiddenValue == "7" })
        record.state = .done
        #expect(ActionView(record, for: visit).again == nil)
        record.state = .failed(words: "", hint: nil)
        #expect(
            ActionView(record, for: Visit(person: Person("Eve", rights: [.look]), options: ConsoleOptions(), now: 0))
                .again == nil)
    }
}
