import Foundation
import HubEmulator
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/campaigns.md: its view, its spec and its commands, from the spec to the report.
@Suite(.timeLimit(.minutes(10))) struct CampaignsPageTests {
    private func shell(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await Tool.shell(
            ["-c", command], environment: ["PATH": "\(Fanfare.directory):/usr/local/bin:/usr/bin:/bin"],
            in: URL(filePath: bench.folder.path))
    }

    /// Runs a command that waits for a run, and drains beside it until it has ended.
    private func withDrains(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await withThrowingTaskGroup(of: Tool.Ended?.self) { group in
            group.addTask { try await shell(command, bench) }
            group.addTask {
                while !Task.isCancelled { _ = try await shell("fanfare drain", bench) }
                return nil
            }
            defer { group.cancelAll() }
            return try #require(await group.next() ?? nil)
        }
    }

    private func command(_ start: String, in page: Page) throws -> String {
        let text = page.blocks("sh").map(\.text).joined(separator: "\n").replacing("\\\n", with: " ")
        return String(try #require(text.split(separator: "\n").first { $0.hasPrefix(start) }))
    }

    @Test func theWorkedExampleRunsFromTheViewToTheReport() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        let test = bench.worker.test
        try await test.database.script(try #require(page.blocks("sql").dropFirst().first).text)
        try await test.database.script("ANALYZE marketing.customer")
        _ = try bench.folder.write(try #require(page.blocks("json").first).text, to: "spring.json")

        let created = try await shell(try command("fanfare campaign create spring", in: page), bench)
        #expect(created.status == 0, "\(created)")
        let checked = try await shell(try command("fanfare campaign check spring", in: page), bench)
        #expect(checked.status == 0 && checked.output.contains("at 2000.0 a second"), "\(checked)")
        #expect(!checked.output.contains("index"), "\(checked)")
        func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .newlines) }
        let isCheckShown = page.blocks("text").contains { trimmed($0.text) == trimmed(checked.output) }
        #expect(isCheckShown, "\(checked)")
        let drawn = try await shell("fanfare campaign preview spring --locale fr --platform apns", bench)
        let isShown = page.blocks("text").contains { trimmed($0.text) == trimmed(drawn.output) }
        #expect(drawn.status == 0 && isShown, "\(drawn)")
        let ran = try await withDrains(
            try command("fanfare campaign run spring", in: page).replacing(" --progress", with: ""), bench)
        #expect(ran.status == 0, "\(ran)")
        let status = try await shell(try command("fanfare campaign status spring", in: page), bench)
        let shown = try #require(page.blocks("text").first).text
        func plain(_ text: String) -> String {
            text.replacing(/took \d+ s/, with: "took").trimmingCharacters(in: .newlines)
        }
        #expect(plain(status.output) == plain(shown))

        let tagged = try await shell(try command("fanfare campaign tag spring", in: page), bench)
        #expect(tagged.output == "campaign spring: retention spring-2027\n", "\(tagged)")
        let list = try command("fanfare campaign list --tag", in: page)
        #expect(
            try await shell(list, bench).output == "no such campaign; fanfare campaign list --all shows all\n")
        let done = try await shell(list.replacing("paused", with: "done"), bench)
        #expect(done.output.contains("retention spring-2027"), "\(done)")
        let unknown = try await shell(list.replacing("paused", with: "over"), bench)
        #expect(unknown.status == 64 && unknown.errors.contains("unapproved"), "\(unknown)")
        #expect(try await shell(try command("fanfare campaign archive spring", in: page), bench).status == 0)
        let again = try await shell("fanfare campaign run spring --key again", bench)
        #expect(again.status == 65 && again.errors.contains("fanfare campaign unarchive spring"), "\(again)")
        #expect(try await !shell("fanfare campaign list", bench).output.contains("spring"))
        #expect(
            try await shell("fanfare campaign list --archived --json", bench).output.contains(
                #""tags": ["retention", "spring-2027"]"#))
        #expect(try await shell("fanfare campaign unarchive spring", bench).status == 0)

        let bodies = bench.worker.taken
        #expect((667..<800).contains(bodies.count), "those without a name share posts of up to 20 tags")
        #expect(Set(bodies.filter { $0.contains("We miss you, Ada 1\"") }).count == 1)
        #expect(bodies.contains { $0.contains("We miss you, friend") && $0.contains("cher lecteur") })
        #expect(try await bench.worker.lost() == [])
    }

    @Test func theStatementAndTheCommandForTagsAreOneCampaign() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        try await bench.worker.test.database.script(try #require(page.blocks("sql").first).text)
        try FileManager.default.createDirectory(
            atPath: bench.folder.path + "/digest", withIntermediateDirectories: true)
        _ = try bench.folder.write(#"{"title": "Your week"}"#, to: "digest/en.json")
        _ = try bench.folder.write(#"{"title": "Votre semaine"}"#, to: "digest/fr.json")
        let ran = try await withDrains(
            try command("fanfare campaign run weekly-digest", in: page).replacing("--progress", with: "--json"), bench)
        #expect(ran.status == 0, "\(ran)")
        #expect(ran.output.contains(#""started": false"#), "the statement started it: \(ran)")
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.campaign_revision") == 1)
        #expect(bench.worker.taken.count == 1)
    }

    @Test func aFileOfRecipientsIsReadAndABadRowIsNamed() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        _ = try bench.folder.write("key,tag,locale,name\n1,user:1,fr,\"Ada \"\"A\"\"\"\n2,user 2,,\n", to: "people.csv")
        let load = try command("fanfare campaign audience load beta", in: page)
        let refused = try await shell(load, bench)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("people.csv, line 3") && refused.errors.contains("user 2"), "\(refused)")
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.list") == 0)
        _ = try bench.folder.write("key,tag,locale,name\n1,user:1,fr,\"Ada \"\"A\"\"\"\n2,user:2,,\n", to: "people.csv")
        #expect(try await shell(load, bench).status == 0)
        #expect(
            try await bench.worker.test.texts(
                "SELECT concat_ws(' ', key, tag, locale, properties) FROM push.list_member ORDER BY key")
                == [#"1 user:1 fr {"name":"Ada \"A\""}"#, "2 user:2"])
        // JSON lines, and a key that comes twice: nothing is loaded.
        _ = try bench.folder.write(
            "{\"key\": 1, \"tag\": \"user:1\"}\n{\"key\": \"1\", \"tag\": \"user:2\"}\n", to: "people.csv")
        let twice = try await shell(load.replacing(" beta", with: " gamma"), bench)
        #expect(twice.status == 65 && twice.errors.contains("people.csv, line 2: the key"), "\(twice)")
        #expect(try await bench.worker.test.number("SELECT count(*) FROM push.list") == 1)
        // Replaced from the file without what is bad, and from a table.
        let replace = try #require(
            page.blocks("sh").flatMap { $0.text.split(separator: "\n") }.first { $0.contains("--replace") })
        let replaced = try await shell(String(replace), bench)
        #expect(replaced.output == "list beta has 1 recipient, 1 bad line was left out\n", "\(replaced)")
        let report = try String(contentsOfFile: bench.folder.path + "/bad.csv", encoding: .utf8)
        #expect(report == "line,key,reason\n2,1,\"the key \"\"1\"\" stands in line 1 already\"\n")
        try await bench.worker.test.database.script(try #require(page.blocks("sql").dropFirst().first).text)
        try await bench.worker.test.database.script(
            try #require(page.blocks("sql").first { $0.text.contains("replace_list") }).text)
        #expect(
            try await bench.worker.test.number(
                "SELECT count(*) FROM push.list_member m JOIN push.list l ON l.id = m.list WHERE l.replaced_by IS NULL")
                == bench.worker.test.number("SELECT count(*) FROM marketing.customer"))
    }

    /// Types a command beside a worker that serves the hub.
    private func besideAWorker(_ command: String, _ bench: WorkerBench) async throws -> Tool.Ended {
        try await shell(
            """
            fanfare run >worker.log 2>&1 & worker=$!
            while fanfare campaign check spring | grep -q "no worker serves"; do sleep 0.1; done
            \(command)
            status=$?
            kill $worker
            wait $worker
            exit $status
            """, bench)
    }

    @Test func aTestShowsWhatARecipientWouldGetAndSaysHowItEnded() async throws {
        let page = try Page("docs/campaigns.md")
        let bench = try await WorkerBench.make()
        let test = bench.worker.test
        try await test.database.script(try #require(page.blocks("sql").dropFirst().first).text)
        let spec = try #require(page.blocks("json").first).text
        _ = try bench.folder.write(spec.replacing("{{name|friend}}", with: "{{name}}"), to: "spring.json")
        #expect(try await shell(try command("fanfare campaign create spring", in: page), bench).status == 0)

        let asked = try command("fanfare campaign test spring", in: page)
        let nameless = try await shell(asked.replacing("key:42", with: "key:3"), bench)
        #expect(nameless.status == 65 && nameless.errors.contains("--property name="), "\(nameless)")
        let unserved = try await shell("\(asked) --property name=Bo", bench)
        #expect(unserved.status == 75 && unserved.errors.contains("no worker serves news"), "\(unserved)")
        let sent = try await besideAWorker("\(asked.replacing("key:42", with: "key:43")) --max-runtime 2m", bench)
        #expect(sent.status == 0 && sent.output.contains("accepted 1"), "\(sent)")
        #expect(bench.worker.taken.contains { $0.contains("We miss you, Bo") }, "of the one before")
        #expect(bench.worker.taken.contains { $0.contains("We miss you, Ada 43") })
        #expect(bench.worker.taken.count == 2)

        let statement = try #require(page.blocks("sql").first { $0.text.contains("push.test_campaign") }).text
        try await test.database.script(statement)
        #expect(try await test.number("SELECT count(*) FROM push.run WHERE is_test") == 3)
    }

    @Test func aNameInOneBraceIsKeptWithAWarning() async throws {
        let bench = try await WorkerBench.make()
        _ = try bench.folder.write(
            #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"en": {"title": "Hi {name}"}}}"#, to: "a.json"
        )
        let kept = try await shell("fanfare campaign create a --file a.json", bench)
        #expect(kept.status == 0 && kept.output.contains("revision 1"), "\(kept)")
        #expect(kept.errors.contains(#"content."en".title has {name}"#) && kept.errors.contains("{{name}}"), "\(kept)")
    }
}
