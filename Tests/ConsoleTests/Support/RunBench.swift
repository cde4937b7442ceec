import Postgres
import Store
import TestSupport

@testable import Console

/// A database with campaigns and runs, for the pages of campaigns and the actions of runs.
struct RunBench {
    let bench: ConsoleBench

    var test: TestDatabase { bench.test }
    var store: CampaignStore { CampaignStore(database: bench.test.database) }

    /// A key as a person may choose it: an address has to escape it.
    static let key = "2027/03?%<b>"
    /// Of the page of its run.
    static let address = "/campaigns/spring/runs/2027%2f03%3f%25%3cb%3e"

    static let spec = #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "secret-words"}}"#

    static func make() async throws -> RunBench { RunBench(bench: try await ConsoleBench.make()) }

    /// - Parameter more: members of the spec behind the others: `, "approval": "one"`.
    func create(_ name: String, _ more: String = "", draft: Bool = false) async throws {
        _ = try await store.create(name, spec: Self.spec + more + "}", draft: draft)
    }

    /// Campaign `spring` with one run: 6 of its messages are accepted, 1 is rejected, 1 is in doubt, 2 wait.
    static func withRun(key: String = key, _ more: String = "") async throws -> RunBench {
        let bench = try await make()
        try await fill(bench, key: key, more)
        return bench
    }

    static func fill(_ bench: RunBench, key: String = key, _ more: String = "") async throws {
        try await bench.test.database.script(
            """
            SELECT push.make_list('ten');
            INSERT INTO push.list_member (list, key, tag) SELECT id, lpad(n::text, 2, '0'), 'u:' || n FROM push.list, generate_series(1, 10) n;
            """)
        _ = try await bench.store.create(
            "spring",
            spec: #"{"hubs": ["news"], "audience": {"list": "ten"}, "content": {"": {"title": "secret-words"}}"# + more
                + "}", draft: false)
        _ = try await bench.store.start("spring", key: key)
        let stream = try await bench.test.number("SELECT max(id) FROM push.stream")
        _ = try await Runs(database: bench.test.database).expand(stream, upTo: 10)
        try await bench.test.database.script(
            """
            WITH gone AS (DELETE FROM push.due d USING push.message m WHERE m.id = d.id AND m.recipient < '09' RETURNING m.id, m.recipient)
            INSERT INTO push.result (id, status, reason, note)
            SELECT id, CASE recipient WHEN '03' THEN 'rejected' WHEN '07' THEN 'in_doubt' ELSE 'accepted' END::push.status,
                   CASE recipient WHEN '03' THEN 'bad_request' WHEN '07' THEN 'answer_lost' ELSE 'taken_by_hub' END::push.reason,
                   CASE recipient WHEN '03' THEN 'no <such> tag' END
              FROM gone
            """)
    }

    /// The state of the run, and why.
    func state() async throws -> [String] {
        try await test.texts("SELECT concat_ws(': ', state, why) FROM push.run ORDER BY id")
    }

    /// Messages of all runs that do not wait, by status: `accepted 6`.
    func ended() async throws -> [String] {
        try await test.texts(
            """
            SELECT concat_ws(' ', s.status, count(*)) FROM push.message_status s
             WHERE NOT EXISTS (SELECT FROM push.due d WHERE d.id = s.id) GROUP BY s.status ORDER BY s.status::text
            """)
    }
}
