import ProgramSupport
import Foundation
import Postgres
import TestSupport
import Testing

/// What README.md shows is tried here.
@Suite struct ReadmeTests {
    private static let text: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../README.md")
        return (try? String(contentsOf: root, encoding: .utf8)) ?? ""
    }()

    /// The blocks of one kind, in order.
    private static func blocks(_ kind: String) -> [String] {
        text.components(separatedBy: "```\(kind)\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    }

    @Test func itsInsertsArePostedAndItsSelectShowsWhatItSays() async throws {
        let worker = try await TestWorker.make()
        let sql = try #require(Self.blocks("sql").first { $0.contains("INSERT INTO push.message") })
        let select = try #require(sql.range(of: "SELECT "))
        try await worker.test.database.script(String(sql[..<select.lowerBound]))

        try await worker.drain()

        let statuses = try await worker.test.texts(
            "SELECT id || ' | ' || target || '  | ' || status || ' | ' || reason || ' |  ' || http FROM push.message_status ORDER BY id"
        )
        let shown = try #require(Self.blocks("text").first { $0.contains("taken_by_hub") })
        #expect(statuses.count == 3)
        for status in statuses { #expect(shown.contains(status), "\(status)") }
        try await worker.test.database.script(String(sql[select.lowerBound...]))
    }

    @Test func itsRefusalIsWordForWordWhatTheDatabaseSays() async throws {
        let worker = try await TestWorker.make()
        let shown = try #require(Self.blocks("text").first { $0.hasPrefix("ERROR:") })
        do {
            try await worker.test.database.execute(
                "INSERT INTO push.message (hub, tag, content) VALUES ('news', '(a || b', '{}')")
            Issue.record("a broken tag expression was taken")
        } catch {
            #expect(shown == "ERROR:  \(error.message)\nHINT:  \(error.hint ?? "")")
        }
    }

    @Test func everyCommandItNamesExists() async throws {
        let commands = Set(Self.text.matches(of: /fanfare ([a-z]+)/).map { String($0.1) })
        #expect(commands.isSuperset(of: ["run", "migrate", "doubt", "doctor", "top", "bench"]))
        for command in commands {
            #expect(try await BuiltProgram(settings: nil)("help", command).status == 0, "\(command)")
        }
    }

    @Test func itsConfigurationRunsAsItIs() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../config.json").path()
        let ended = try await BuiltProgram(settings: path)("config", "check")
        #expect(ended.status == 0, "\(ended.errors)")
    }

    @Test func itFitsOnThreeScreens() {
        #expect(Self.text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }

    @Test func theFilesItLinksToAreThere() {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let links = Self.text.matches(of: /\]\(([A-Za-z\/.]+)\)/).map { String($0.1) }
        #expect(!links.isEmpty)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: root.appending(path: link).path()), "\(link)")
        }
    }
}
