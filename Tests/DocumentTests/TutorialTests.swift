import Foundation
import ProgramSupport
import TestSupport
import Testing

/// docs/tutorials: each page runs from its first block to its last, and the phones show what it prints.
@Suite struct TutorialTests {
    private static let pages = ["swift-app", "tagged-news", "localised-news", "device-languages", "buttons"]

    @Test(arguments: pages)
    func thePhonesShowWhatThePagePrints(name: String) async throws {
        let tutorial = try await Tutorial.walk(name)
        let page = tutorial.page
        for (index, block) in page.blocks.enumerated() {
            guard let printed = tutorial.printed[block.line] else { continue }
            if let next = page.blocks.dropFirst(index + 1).first, next.info == "text" {
                let isAsShown = try tutorial.matches(block, next)
                #expect(isAsShown, "\(page.path) \(block) printed\n\(printed)\nnot\n\(next.text)")
            } else {
                let isQuiet = block.info != "sql refused" && !block.text.contains(/emulate (wait|inbox)/)
                #expect(isQuiet, "\(page.path) \(block): the page leaves out \(printed)")
            }
        }
        // The first block promises what the phones have at the end.
        let first = try #require(page.blocks.first)
        #expect(first.info == "text end")
        var inbox = Tutorial.plain(tutorial.inbox)
        for line in Tutorial.plain(first.text) {
            let place = inbox.firstIndex(of: line)
            #expect(place != nil, "\(page.path): \(line) is not in\n\(tutorial.inbox)")
            if let place { inbox.remove(at: place) }
        }
        #expect(try await tutorial.bench.worker.lost() == [])
    }

    /// Blocks in other languages have tests of their own.
    @Test func everyBlockIsRunOrReadByATest() throws {
        for name in Self.pages {
            let infos = Set(try Page("docs/tutorials/\(name).md").blocks.map(\.info))
            let others = infos.subtracting(["sh", "sql", "sql refused", "text", "text end"])
            let read: Set = name == "buttons" ? ["swift"] : name == "device-languages" ? ["strings", "xml"] : []
            #expect(others == read, "\(name)")
        }
    }

    @Test func theStartAndTheReadmeNameEveryPage() throws {
        let start = try Page("docs/tutorials/README.md").links
        #expect(
            Set(Self.pages.map { "docs/tutorials/\($0).md" } + ["docs/tutorials/README.md"])
                == Set(try Repository.files(in: "docs/tutorials").map { "docs/tutorials/\($0)" }))
        for name in Self.pages { #expect(start.contains("docs/tutorials/\(name).md")) }
        #expect(try Page("README.md").links.contains("docs/tutorials/README.md"))
    }

    /// The texts of both apps with the arguments of the notification, as the phones put them together.
    @Test func bothAppsMakeTheSentenceOfThePage() throws {
        let page = try Page("docs/tutorials/device-languages.md")
        let shown = try #require(page.blocks.first).text
        let arguments = try #require(shown.firstMatch(of: /"loc-args":\["(.+?)","(.+?)"\]/))
        #expect(shown.contains("\"body_loc_args\":[\"\(arguments.1)\",\"\(arguments.2)\"]"))
        let apple = try #require(page.blocks("strings").first?.text.wholeMatch(of: /"(.+)" = "(.+)";/))
        let android = try #require(page.blocks("xml").first?.text.wholeMatch(of: /<string name="(.+)">(.+)<\/string>/))
        #expect(shown.contains("\"loc-key\":\"\(apple.1)\"") && shown.contains("\"body_loc_key\":\"\(android.1)\""))
        for (text, specifier) in [(apple.2, "@"), (android.2, "s")] {
            let sentence = text.replacing("%1$\(specifier)", with: arguments.1)
                .replacing("%2$\(specifier)", with: arguments.2)
            #expect(page.text.contains("show: *\(sentence)*"), "\(sentence)")
        }
    }

    /// Swift for iOS has no SDK here: the compiler reads it, and its identifiers are those of the rows.
    @Test func theAppOfTheButtonsIsSwiftAndRegistersTheCategoryOfTheRow() async throws {
        let page = try Page("docs/tutorials/buttons.md")
        let blocks = page.blocks("swift")
        #expect(blocks.count == 2)
        let folder = try Folder()
        for (index, block) in blocks.enumerated() {
            // A file of this name may have statements at its top.
            let path = try folder.write(block.text + "\n", to: "\(index)/main.swift")
            let ended = try await Tool("swiftc")(["-frontend", "-parse", path])
            #expect(ended.status == 0, "\(page.path) \(block): \(ended)")
        }
        let category = try #require(blocks[0].text.firstMatch(of: /UNNotificationCategory\(identifier: "(.+?)"/)).1
        let rows = try #require(page.blocks("sql").first { $0.text.contains("'apple'") }).text
        #expect(rows.matches(of: /"category": "(.+?)"/).map(\.1) == [category, category])
        let buttons = blocks[0].text.matches(of: /UNNotificationAction\(identifier: "(.+?)"/).map(\.1)
        #expect(blocks[1].text.matches(of: /case "(.+?)":/).map(\.1) == buttons)
        #expect(rows.contains("\"invitation\": ") && blocks[1].text.contains("userInfo[\"invitation\"]"))
    }
}
