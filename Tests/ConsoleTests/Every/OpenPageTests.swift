import HTTPServer
import HTTPTypes
import Postgres
import Store
import TestSupport
import Testing

@testable import Console

/// What a page is about changes while it is open: its script asks for it again.
@Suite(.serialized, .timeLimit(.minutes(10))) struct OpenPageTests {
    private func look(_ console: TestConsole, _ address: String, _ mark: String? = nil) async throws -> (
        status: Int, page: String, mark: String?
    ) {
        var headers: HTTPFields = [HTTPField.Name("X-Fanfare-Live")!: "1"]
        headers[.ifNoneMatch] = mark
        let response = try #require(try await console.get(address, headers: headers))
        return (response.status, String(decoding: response.body, as: UTF8.self), response.headers[.eTag])
    }

    @Test func aRunThatEndsIsShownToBeOver() async throws {
        let bench = try await RunBench.withRun()
        let console = bench.bench.console([.campaigns])
        let open = try await look(console, RunBench.address)
        #expect(open.status == 200 && open.page.contains("data-live=\"2\"") && open.page.contains("/act/pause-run"))
        #expect(try await look(console, RunBench.address, open.mark).status == 304)
        try await bench.test.database.script(
            """
            DELETE FROM push.due;
            INSERT INTO push.result (id, status, reason)
            SELECT id, 'accepted', 'taken_by_hub' FROM push.message m WHERE NOT EXISTS (SELECT FROM push.result r WHERE r.id = m.id);
            UPDATE push.result SET status = 'accepted', reason = 'taken_by_hub';
            UPDATE push.run SET state = 'done', ended_at = now();
            """)
        let over = try await look(console, RunBench.address, open.mark)
        #expect(over.status == 200 && over.page.contains("data-live=\"5\"") && !over.page.contains("/act/"))
        #expect(over.page.contains("<span class=\"state good\">done</span>"))
        // What was a button is not one any more.
        let late = try await console.ask("pause-run", ["campaign": "spring", "key": RunBench.key])
        #expect(late.contains("It is done") && !late.contains("name=\"confirmation\""), "\(late)")
    }

    @Test func aHubThatIsRemovedIsGone() async throws {
        let bench = try await ConsoleBench.make()
        let console = bench.console()
        let open = try await look(console, "/hubs/news")
        #expect(open.status == 200)
        try await bench.test.database.execute("SELECT push.remove_hub('news')")
        let gone = try await look(console, "/hubs/news", open.mark)
        #expect(gone.status == 404 && gone.page.contains("No hub is registered yet"))
        let late = try await console.ask("pause-hub", ["hub": "news"])
        #expect(late.contains("No hub is registered under this name") && !late.contains("name=\"confirmation\""))
        let overview = try await look(console, "/")
        #expect(overview.page.contains("No hub is registered") && !overview.page.contains("/hubs/news"))
    }

    @Test func aWorkerThatIsRestartedIsTheNewOne() async throws {
        let bench = try await ConsoleBench.make()
        try await bench.beat("host/1")
        let console = bench.console([.look])
        let open = try await look(console, "/hubs/news")
        #expect(open.page.contains(">host/1</th>"))
        try await bench.test.database.execute("DELETE FROM push.worker")
        let between = try await look(console, "/hubs/news", open.mark)
        #expect(
            between.status == 200 && between.page.contains("no worker serves it") && !between.page.contains("host/1"))
        try await bench.beat("host/2")
        for address in ["/hubs/news", "/"] {
            let page = try await look(console, address, between.mark).page
            #expect(page.contains("host/2") && !page.contains("host/1"), "\(address)")
        }
    }
}
