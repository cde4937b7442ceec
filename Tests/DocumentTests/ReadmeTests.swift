import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// What README.md shows is tried here.
@Suite struct ReadmeTests {
    private static func page() throws -> Page { try Page("README.md") }

    /// All at once, as somebody pastes it; beside an emulator that runs already.
    @Test func itsCommandsSendAMessageAndPrintWhatItSays() async throws {
        let bench = try await WorkerBench.make()
        let page = try Self.page()
        let block = try #require(page.blocks("sh").first { $0.text.contains("INSERT INTO push.message") })
        let commands = block.text.replacing(/(?m)^fanfare-emulator --quiet &.*$/, with: "")
        #expect(commands != block.text)
        let ended = try await Tool.shell(
            [],
            environment: [
                "PATH": "\(Fanfare.directory):/usr/bin:/bin", "FANFARE_DATABASE_URL": bench.worker.test.conninfo,
            ],
            in: URL(filePath: bench.folder.path), input: commands)
        #expect(ended.status == 0, "\(ended)")
        let shown = try #require(page.blocks("text").first { $0.text.contains("taken_by_hub") })
        // psql ends the line of the headings with a space. A notification begins with its time.
        let output = ended.output.replacing(" \n", with: "\n").replacing(#/(?m)^[0-9:.]{12}  /#, with: "")
        #expect(output.contains(shown.text.replacing(#/(?m)^[0-9:.]{12}  /#, with: "")), "\(ended)")
        let plan = try #require(page.blocks("text").first { $0.text.hasPrefix("hub news (") }).text
        let untimed = { (text: String) in text.replacing(#/as of [0-9:]+Z/#, with: "as of") }
        #expect(untimed(output).contains(untimed(plan)), "\(ended)")
    }

    @Test func itsRefusalIsWordForWordWhatTheDatabaseSays() async throws {
        let worker = try await TestWorker.make()
        let shown = try #require(try Self.page().blocks("text").first { $0.text.hasPrefix("ERROR:") }).text
        do {
            try await worker.test.database.execute(
                "INSERT INTO push.message (hub, tag, content) VALUES ('news', '(a || b', '{}')")
            Issue.record("a broken tag expression was taken")
        } catch {
            #expect(shown == "ERROR:  \(error.message)\nHINT:  \(error.hint ?? "")")
        }
    }

    @Test func everyCommandItNamesExists() async throws {
        let commands = Set(try Self.page().text.matches(of: /\bfanfare ([a-z]+)/).map { String($0.1) })
        #expect(commands.isSuperset(of: ["run", "drain", "migrate", "doubt", "doctor", "top", "bench"]))
        for command in commands {
            #expect(try await BuiltProgram(settings: nil)("help", command).status == 0, "\(command)")
        }
    }

    /// Scripts and files that its first screen tells people to run.
    @Test func everyCommandOfItsFirstScreenHasItsFile() throws {
        let block = try #require(try Self.page().blocks("sh").first).text
        let files = block.matches(of: /(?m)(?:^|-f )((?:bin|deploy)\/[a-z.]+)/).map { String($0.1) }
        #expect(files == ["bin/demo", "bin/test", "deploy/compose.yaml", "bin/package"])
        for file in files {
            #expect(FileManager.default.fileExists(atPath: Repository.url(file).path()), "\(file)")
        }
    }

    @Test func itsConfigurationRunsAsItIs() async throws {
        let ended = try await BuiltProgram(settings: Repository.url("config.json").path())("config", "check")
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test func itFitsOnThreeScreens() throws {
        #expect(try Self.page().text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }
}
