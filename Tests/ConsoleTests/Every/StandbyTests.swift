import HTTPServer
import Postgres
import PostgresServer
import TestSupport
import Testing

@testable import Console

/// The console at a standby: pages work, and actions say why not.
@Suite(.timeLimit(.minutes(10))) struct StandbyTests {
    @Test func pagesAreShownAndActionsSayWhyNot() async throws {
        let primary = try await TemporaryServer.start()
        let there = try await EveryPage.bench(in: primary).test
        let standby = try await primary.standby()
        let login = Database(
            DatabaseSettings(url: standby.conninfo(database: there.name) + " user=\(there.name)_push_console"))
        let console = TestConsole(login)
        for address in EveryPage.addresses {
            let response = try #require(try await console.get(address))
            let page = String(decoding: response.body, as: UTF8.self)
            #expect(response.status == 200 && !page.contains("Not shown"), "\(address): \(page)")
        }
        let overview = try await console.page("/")
        #expect(overview.contains("this server is a standby"), "\(overview)")
        #expect(try await console.page("/about").contains("a standby, which takes no changes"))

        let record = try await console.act("pause-hub", ["hub": "news"])
        guard case .failed(let words, let hint) = record.state else {
            Issue.record("\(record.state)")
            return
        }
        #expect(
            words.contains("during recovery") && hint?.contains("it is a standby") == true, "\(words) \(hint ?? "")")
        let shown = try await console.page("/actions/\(record.id)")
        #expect(shown.contains("not done") && shown.contains("this server takes no changes"))
        // What somebody writes is not lost, either.
        let form = try await console.page("/campaigns/new")
        let typed = FilledForm.body(of: form, pressing: "draft", typing: ["name": "kept", "rate": "7"])
        let answer = try #require(try await console.send(.post, "/campaigns/new", Array(typed.utf8)))
        let page = String(decoding: answer.body, as: UTF8.self)
        #expect(
            answer.status == 422 && page.contains("name=\"rate\" value=\"7\"")
                && page.contains("This server takes no changes"), "\(page)")
        await login.close()
        await standby.stop()
        await primary.stop()
    }
}
