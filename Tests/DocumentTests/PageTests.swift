import Foundation
import ProgramSupport
import Testing

/// Rules for the pages of docs/ that are written by hand. CitationTests checks the links of all documents.
@Suite struct PageTests {
    private static let pages = [
        "docs/install.md", "docs/enqueue.md", "docs/orm.md", "docs/cron.md", "docs/native-formats.md",
        "docs/operations.md", "docs/emulator.md", "docs/fcm.md", "docs/apns.md",
    ]

    @Test(arguments: pages)
    func everyLinkOfAPageExists(path: String) throws {
        let page = try Page(path)
        #expect(!page.links.isEmpty)
        for link in page.links {
            #expect(
                FileManager.default.fileExists(atPath: Repository.url(link).standardized.path()), "\(path): \(link)")
        }
        let headings = Set(
            page.text.matches(of: #/(?m)^#+ (.+)$/#).map { match in
                match.1.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(
                    " ", with: "-")
            })
        for match in page.text.matches(of: /\]\(#([^)]+)\)/) {
            #expect(headings.contains(String(match.1)), "\(path) has no heading #\(match.1): \(headings.sorted())")
        }
    }

    @Test(arguments: pages)
    func everyCommandAndOptionOnAPageExists(path: String) async throws {
        let commands = Set(
            try Page(path).text.matches(of: /`fanfare ((?:[a-z]+ ?)+)((?:--[a-z-]+)?)[^`]*`/)
                .map { [String($0.1).trimmingCharacters(in: .whitespaces), String($0.2)] })
        for command in commands {
            // Arguments may follow the command.
            var words = command[0].split(separator: " ").map(String.init)
            var ended = try await Fanfare.tool(["help"] + words)
            while words.count > 1,
                !ended.output.contains("USAGE: fanfare \(words.joined(separator: " "))")
            {
                words.removeLast()
                ended = try await Fanfare.tool(["help"] + words)
            }
            #expect(
                ended.output.contains("USAGE: fanfare \(words.joined(separator: " "))"),
                "\(path): fanfare \(command[0])")
            if !command[1].isEmpty {
                let isThere = ended.output.contains("  \(command[1]) ") || ended.output.contains("  \(command[1]), ")
                #expect(isThere, "\(path): fanfare \(command[0]) \(command[1])")
            }
        }
    }

    /// A block whose info names a file is an excerpt of it, and the page shows every program of its folder.
    @Test(arguments: ["enqueue", "orm"])
    func everyExcerptIsInItsProgram(name: String) throws {
        let page = try Page("docs/\(name).md")
        var files: Set<String> = []
        for block in page.blocks {
            guard let file = block.info.split(separator: " ").dropFirst().first, file.contains("/") else { continue }
            let program = "\n" + lines(try Repository.text("docs/\(file)")) + "\n"
            #expect(program.contains("\n" + lines(block.text) + "\n"), "\(block) is not in \(file)")
            files.insert(String(file))
        }
        #expect(files == Set(try Repository.files(in: "docs/\(name)").map { "\(name)/\($0)" }))
    }

    /// Without indentation, because a page shows functions of a class.
    private func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }
}
