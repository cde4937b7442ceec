import Foundation
import ProgramSupport
import TestSupport
import Testing

/// The reader of docs/fcm.md or docs/apns.md: a shell in a folder with the page's settings, the page's emulator, and a backend.
struct SenderBench {
    let page: Page
    let folder: Folder
    let emulator: EmulatorProgram
    let test: TestDatabase
    /// May enqueue and read what is gone, and makes tables of its own.
    let backend: TestDatabase

    /// - Parameters:
    ///   - path: of the page.
    ///   - settings: the block with the settings, by the text behind its fence.
    ///   - options: of the emulator, beside those of the page.
    static func run(
        _ path: String, settings: String = "json", options: String = "", _ body: (SenderBench) async throws -> Void
    ) async throws {
        let page = try Page(path)
        let folder = try Folder()
        try folder.write(try #require(page.blocks.first { $0.info == settings }).text, to: "config.json")
        let test = try await TestDatabase.make()
        let backend = try await test.login(as: "push_enqueue")
        let login = try await backend.texts("SELECT current_user")[0]
        try await test.database.script(
            "GRANT push_register TO \(login); GRANT CREATE ON SCHEMA public TO \(login)")
        let start = try #require(page.blocks.first { $0.info == "sh emulator" }).text.split(separator: "\n")
        let files = try await Tool.shell(
            ["-ec", start.dropLast().joined(separator: "\n")], in: URL(filePath: folder.path))
        #expect(files.status == 0, "\(files)")
        let line = try #require(start.last)
        let emulator = try await EmulatorProgram.start(line + options, in: folder)
        let bench = SenderBench(page: page, folder: folder, emulator: emulator, test: test, backend: backend)
        do {
            try await body(bench)
        } catch {
            await emulator.stop()
            throw error
        }
        await emulator.stop()
    }

    /// What the page exports before its other commands.
    private var exports: String {
        get throws {
            let block = try #require(page.blocks("sh").first { $0.text.contains("export ") }).text
            return block.split(separator: "\n").filter { $0.hasPrefix("export ") }.joined(separator: "\n")
        }
    }

    /// Types commands of the page, beside the emulator of this test.
    ///
    /// - Returns: what they printed.
    func type(_ commands: String) async throws -> String {
        let ended = try await attempt(commands)
        #expect(ended.status == 0, "\(commands)\n\(ended)")
        return ended.output
    }

    /// As `type`, of commands that may fail.
    ///
    /// - Parameter hasExports: whether the exports of the page come first.
    func attempt(_ commands: String, hasExports: Bool = true) async throws -> Tool.Ended {
        try await Tool.shell(
            [
                "-euo", "pipefail", "-c",
                emulator.here((hasExports ? try exports + "\n" : "") + commands),
            ],
            environment: [
                "PATH": "\(Fanfare.directory):/usr/bin:/bin", "FANFARE_DATABASE_URL": test.conninfo,
                "EMULATOR_AT": emulator.address,
            ], in: URL(filePath: folder.path))
    }

    /// Runs SQL of the page as the backend, as one script.
    func insert(_ block: Page.Block) async throws {
        do {
            try await backend.database.script(block.text)
        } catch {
            Issue.record("\(page.path) \(block): \(error)")
        }
    }

    /// The block of SQL that has these words.
    func sql(_ words: String) throws -> Page.Block {
        try #require(page.blocks("sql").first { $0.text.contains(words) }, "\(page.path): \(words)")
    }
}
