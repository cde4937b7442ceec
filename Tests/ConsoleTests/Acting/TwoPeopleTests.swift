import HTTPServer
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// Two people act at once: the second one is told what it is now, and who did that.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TwoPeopleTests {
    /// Both see the same question; Ann confirms it first.
    private func both(
        _ bench: ConsoleBench, _ action: String, _ fields: [(String, String)], by second: String? = nil,
        typed: String? = nil,
        meanwhile: () async throws -> Void = {}
    ) async throws -> SeenQuestion {
        let (ann, ben) = (bench.console(named: "Ann"), bench.console(named: "Ben"))
        let fields = fields.map { (name: $0.0, value: $0.1) }
        let first = try await ann.ask("/act/\(action)", fields: fields)
        let other = try await ben.ask("/act/\(second ?? action)", fields: fields)
        #expect(try await ann.carryOut(first, typed: typed).state == .done)
        try await meanwhile()
        return try SeenQuestion(try await ben.confirm(other, typed: typed))
    }

    private func expectNothing(_ question: SeenQuestion, _ words: String) {
        #expect(question.status == 200 && question.form == nil && question.page.contains(words), "\(question.page)")
    }

    @Test func aHubThatSomebodyPausedIsSaidToBePausedByThem() async throws {
        let bench = try await ConsoleBench.make()
        let late = try await both(bench, "pause-hub", [("hub", "news"), ("reason", "new key")])
        expectNothing(late, "It is already paused by Ann: new key")
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'pause_hub'") == 1)
    }

    @Test func aRunThatSomebodyCancelledIsSaidToBeCancelledByThem() async throws {
        let bench = try await RunBench.withRun()
        let run = [("campaign", "spring"), ("key", RunBench.key)]
        let late = try await both(bench.bench, "cancel-run", run, typed: "spring")
        expectNothing(late, "cancelled by Ann")
        #expect(try await bench.state() == ["cancelling: cancelled by Ann"])
    }

    @Test func aMessageThatSomebodyCancelledIsSaidToBeCancelledByThem() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('news', 't', '{}')")
        let id = try await bench.test.number("SELECT id FROM push.message")
        let late = try await both(bench, "cancel-messages", [("id", "\(id)")])
        expectNothing(late, "Message \(id) is cancelled now, cancelled by Ann.")
    }

    private func ended(_ status: String, _ reason: String) async throws -> (ConsoleBench, Int64) {
        let bench = try await ConsoleBench.make()
        try await bench.test.database.script(
            """
            INSERT INTO push.message (hub, tag, content) VALUES ('news', 't', '{}');
            \(Self.ends("t", status, reason))
            """)
        return (bench, try await bench.test.number("SELECT id FROM push.message"))
    }

    private static func ends(_ tag: String, _ status: String, _ reason: String) -> String {
        """
        DELETE FROM push.due; SELECT pg_sleep(0.002);
        INSERT INTO push.result (id, arrival, status, reason)
        SELECT id, push_internal.next_arrival(), '\(status)', '\(reason)' FROM push.message WHERE tag = '\(tag)';
        """
    }

    @Test func aDoubtThatSomebodyDecidedIsSaidToBeDecidedByThem() async throws {
        let (bench, id) = try await ended("in_doubt", "worker_lost")
        let late = try await both(bench, "resolve-messages", [("id", "\(id)"), ("decision", "accepted")])
        expectNothing(late, "Message \(id) is accepted now, decided by Ann.")
    }

    /// riverui #623: it was sent again by somebody else, and has failed again since.
    @Test func aMessageThatFailedAgainSinceIsNotSentTwice() async throws {
        let (bench, id) = try await ended("rejected", "bad_request")
        let late = try await both(bench, "retry-messages", [("id", "\(id)")]) {
            try await bench.test.database.script(Self.ends("t", "rejected", "bad_request"))
        }
        expectNothing(late, "Message \(id) is rejected now, sent again by Ann.")
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'retry'") == 1)
        // A new question is about what it is now.
        let again = try await bench.console(named: "Ben").ask("retry-messages", ["id": "\(id)"])
        #expect(again.contains("name=\"confirmation\""))
    }

    /// One of two was decided, and came into doubt again.
    @Test func onlyWhatThePersonSawIsDecided() async throws {
        let (bench, _) = try await ended("in_doubt", "worker_lost")
        let doubt = Self.ends("u", "in_doubt", "worker_lost")
        try await bench.test.database.script(
            "INSERT INTO push.message (hub, tag, content) VALUES ('news', 'u', '{}'); \(doubt)")
        let ids = try await bench.test.texts("SELECT id::text FROM push.message ORDER BY id")
        let ben = bench.console(named: "Ben")
        let question = try await ben.ask(
            "/act/resolve-messages", fields: ids.map { (name: "id", value: $0) } + [("decision", "resend")])
        #expect(question.page.contains("Decide 2 messages in doubt?"))
        try await bench.test.database.script("SELECT push.resolve('{\(ids[1])}', 'resend'); \(doubt)")
        let record = try await ben.carryOut(question)
        #expect(record.state == .done && record.changed == 1)
        #expect(record.remarks == ["\(ids[1]) was changed by somebody else meanwhile, and stays as it is."])
        // Each was decided once: the first by Ben.
        let decided = try await bench.test.texts(
            "SELECT count(*)::text FROM push.result WHERE reason = 'resolved' GROUP BY id ORDER BY id")
        #expect(decided == ["1", "1"])
    }
}
