import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// Actions of runs end to end with a real database: the question, the change, the record.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RunActionJourneyTests {
    private static let run = [("campaign", "spring"), ("key", RunBench.key)]

    @Test func aRunIsPausedAndResumedByThePerson() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.campaigns])
        let asked = try await console.ask("pause-run", Self.run + [("reason", "wrong <picture>")])
        #expect(asked.page.contains("Pause run 2027/03?%&lt;b&gt; of campaign spring?"))
        #expect(asked.page.contains("0 recipients have no message yet; 2 messages wait, and 0 are under way."))
        #expect(try await bench.state() == ["running"])

        let paused = try await console.act("pause-run", Self.run + [("reason", "wrong <picture>")])
        #expect(
            paused.state == .done && paused.changed == 2
                && paused.page == RunReference(campaign: "spring", key: RunBench.key).page)
        #expect(paused.remarks == ["The run is paused."])
        #expect(try await bench.state() == ["paused: paused by Ann: wrong <picture>"])
        #expect(try await bench.test.number("SELECT count(*) FROM push.due WHERE due_at < push.paused_until()") == 0)

        let late = try await console.ask("pause-run", Self.run)
        #expect(late.page.contains("paused by Ann: wrong &lt;picture&gt;. It is paused."))
        #expect(!late.page.contains("name=\"confirmation\""))

        let resumed = try await console.act("resume-run", Self.run)
        #expect(resumed.state == .done && resumed.changed == 2)
        #expect(try await bench.state() == ["running"])
        #expect(
            try await bench.test.texts(
                "SELECT DISTINCT person FROM push.audit WHERE action IN ('run_paused', 'run_running')")
                == ["Ann"])
    }

    @Test func aCancelIsTypedFirst() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.look, .operate])
        let asked = try await console.ask("cancel-run", Self.run)
        #expect(asked.page.contains("Type <b>spring</b> to confirm"))
        let cancelled = try await console.act("cancel-run", Self.run, typed: "spring")
        #expect(cancelled.state == .done && cancelled.changed == 2)
        #expect(try await bench.state() == ["cancelling: cancelled by Ann"])
        #expect(try await bench.ended() == ["accepted 6", "cancelled 2", "in_doubt 1", "rejected 1"])
        let again = try await console.ask("resume-run", Self.run)
        #expect(again.page.contains("cancelled by Ann") && again.page.contains("Cancelled is for good"))
    }

    /// Each call of the database takes one batch, and the next goes on where it ended.
    @Test func manyMessagesAreDecidedInBatches() async throws {
        let bench = try await RunBench.withRun()
        try await bench.test.database.script(
            """
            INSERT INTO push.list_member (list, key, tag) SELECT id, 'm' || n, 'm:' || n FROM push.list, generate_series(1, 2500) n;
            UPDATE push.stream SET done_at = NULL;
            SELECT push_worker.expand_v1(id, 5000) FROM push.stream;
            WITH gone AS (DELETE FROM push.due d USING push.message m WHERE m.id = d.id AND m.recipient LIKE 'm%' RETURNING m.id)
            INSERT INTO push.result (id, status, reason) SELECT id, 'in_doubt', 'answer_lost' FROM gone;
            """)
        let console = bench.bench.console([.campaigns])
        let decided = try await console.act("resolve-run", Self.run + [("decision", "rejected")], typed: "spring")
        #expect(decided.state == .done && decided.changed == 2_501)
        #expect(try await bench.ended() == ["accepted 6", "rejected 2502"])
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'resolve_run'") == 3)

        let retried = try await console.act("retry-run", Self.run, typed: "spring")
        #expect(retried.state == .done && retried.changed == 2_502)
        #expect(try await bench.ended() == ["accepted 6"])
        #expect(try await bench.test.number("SELECT count(*) FROM push.due") == 2_504)
        #expect(
            try await console.ask("retry-run", Self.run).page.contains(
                "No message of it is rejected or expired (any more)."))
    }

    @Test func oneReasonIsSentAgain() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.campaigns])
        let other = try await console.ask("retry-run", Self.run + [("reason", "target_gone")])
        #expect(other.page.contains("No message of it is rejected or expired for target_gone (any more)."))
        let retried = try await console.act("retry-run", Self.run + [("reason", "bad_request")])
        #expect(retried.state == .done && retried.changed == 1)
        #expect(try await bench.ended() == ["accepted 6", "in_doubt 1"])
        #expect(try await bench.test.number("SELECT count(*) FROM push.due") == 3)
    }

    @Test func aRateIsSetAndTakenAway() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.campaigns])
        #expect(try await console.act("set-run-rate", Self.run + [("rate", "0.5")]).state == .done)
        #expect(try await bench.test.texts("SELECT rate::text FROM push.run") == ["0.5"])
        #expect(try await console.page(RunBench.address).contains("value=\"0.5\""))
        let refused = try await console.ask("set-run-rate", Self.run + [("rate", "fast")])
        #expect(refused.status == 422 && refused.page.contains("Nothing was changed."))
        #expect(try await console.act("set-run-rate", Self.run + [("rate", "none")]).state == .done)
        #expect(try await bench.test.texts("SELECT coalesce(rate::text, 'none') FROM push.run") == ["none"])
        // What the database refuses is shown in its words.
        let large = try await console.act("set-run-rate", Self.run + [("rate", "2000000")])
        guard case .failed(let words, let hint) = large.state else {
            Issue.record("\(large.state)")
            return
        }
        #expect(words.contains("messages a second") && hint?.contains("0.01 to 1000000") == true)
    }

    @Test func anUnknownRunIsSaidToBeOne() async throws {
        let bench = try await RunBench.withRun()
        let asked = try await bench.bench.console([.campaigns]).ask(
            "cancel-run", [("campaign", "spring"), ("key", "<none>")])
        #expect(asked.page.contains("The campaign has no run of this key (any more)."))
        #expect(!asked.page.contains("<none>") && !asked.page.contains("name=\"confirmation\""))
    }

    /// The server asks for the right, whatever the page shows.
    @Test func whoMayDoIt() async throws {
        let bench = try await RunBench.withRun()
        let matrix: [(Set<Right>, Bool)] = [
            ([.look], false), ([.approve], false), ([.look, .approve], false), ([.campaigns], true), ([.operate], true),
            ([.look, .operate], true),
        ]
        let fields = Self.run + [("rate", "5"), ("decision", "accepted")]
        for (rights, may) in matrix {
            let console = bench.bench.console(rights)
            for action in ["pause-run", "resume-run", "cancel-run", "set-run-rate", "retry-run", "resolve-run"] {
                let asked = try await console.ask(action, fields)
                #expect(asked.status == (may ? 200 : 403), "\(action) by \(rights)")
                #expect(!asked.page.contains("could not be looked at"), "\(action) by \(rights)")
            }
        }
        #expect(try await bench.state() == ["running"])
    }
}
