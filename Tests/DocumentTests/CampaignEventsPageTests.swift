import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The webhook of docs/campaigns.md, killed between events.
@Suite(.timeLimit(.minutes(10))) struct CampaignEventsPageTests {
    private struct Event: Decodable, Hashable {
        var mark: String
        var key: String
        var event: String
        var state: String
    }

    @Test func theWebhookTellsEachEventAlsoAfterACrash() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        let database = bench.worker.test.database
        _ = try bench.folder.write(
            try #require(page.blocks("python").first { $0.text.contains("webhook.mark") }).text, to: "webhook.py")
        let receiver = try WebhookTests.python(["-c", WebhookTests.receiver])
        defer { receiver.process.terminate() }
        var requests = receiver.lines.makeAsyncIterator()
        let port = try #require(await requests.next())
        func consume() throws -> Process {
            try WebhookTests.python(
                ["webhook.py", "http://127.0.0.1:\(port)/runs"],
                environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
                in: URL(filePath: bench.folder.path)
            ).process
        }
        func next() async throws -> Event {
            try JSONDecoder().decode(Event.self, from: Data(try #require(await requests.next()).utf8))
        }

        try await database.script(try #require(page.blocks("sql").first).text)
        var consumer = try consume()
        #expect(try await next().event == "start")
        try await database.script("SELECT push.pause_run('weekly-digest')")
        let paused = try await next()
        #expect(paused.event == "pause" && paused.state == "paused" && paused.key == "2026-W48", "\(paused)")
        kill(consumer.processIdentifier, SIGKILL)
        consumer.waitUntilExit()
        try await database.script("SELECT push.resume_run('weekly-digest')")
        try await database.script("SELECT push.cancel_run('weekly-digest')")

        consumer = try consume()
        defer { kill(consumer.processIdentifier, SIGKILL) }
        var event = try await next()
        if event == paused { event = try await next() }  // it may have died before it kept the mark
        #expect(event.event == "resume" && event.state == "running", "\(event)")
        #expect(try await next().event == "cancel")

        let statement = try #require(page.blocks("sql").first { $0.text.contains("run_events_since") }).text
        let rows = try await database.query("\(raw: statement.replacing(";", with: ""))") { rows in rows.count }
        #expect(rows == 5)
    }
}
