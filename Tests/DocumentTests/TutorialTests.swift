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
            let others = infos.subtracting(["sh", "sh start", "sql", "sql refused", "text", "text end"])
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

    /// The emulated phones have the texts of the apps, and rows name them as each platform does.
    @Test func bothAppsHaveTheTextsOfTheEmulatedPhones() throws {
        let page = try Page("docs/tutorials/device-languages.md")
        let apple = try #require(page.blocks("strings").first?.text).matches(of: /(?m)^"(.+)" = "(.+)";$/)
        let android = try #require(page.blocks("xml").first?.text).matches(
            of: /<string name="(.+)">(.+)<\/string>/)
        let texts = Dictionary((apple.map { ($0.1, $0.2) } + android.map { ($0.1, $0.2) })) { $1 }
        #expect(apple.count == 2 && android.count == 2)
        let start = try #require(page.blocks.first { $0.info == "sh start" }).text
        let json = try #require(start.firstMatch(of: /(?s)<<'END'\n(.+?)\nEND\n/)).1
        let file = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [String: String]] ?? [:]
        #expect(file["fr"] == Dictionary(uniqueKeysWithValues: texts.map { (String($0), String($1)) }))
        #expect(file["en"].map { Set($0.keys) } == file["fr"].map { Set($0.keys) })
        for row in page.blocks("sql") {
            for key in row.text.matches(of: /(?:"|\\")(loc-key|title-loc-key|[a-z]+_loc_key)(?:"|\\"): ?(?:"|\\")(\w+)/)
            {
                #expect((key.1.contains("-") ? apple.map(\.1) : android.map(\.1)).contains(key.2), "\(row): \(key.2)")
            }
        }
    }

    /// What a start prints of its emulator is left to the reader, but that emulator has to begin.
    @Test(arguments: ["README", "device-languages", "buttons"]) func theEmulatorOfAStartBegins(name: String)
        async throws
    {
        let page = try Page("docs/tutorials/\(name).md")
        let start = try #require(page.blocks("sh").first { $0.text.contains("fanfare-emulator ") }).text
        let line = try #require(start.firstMatch(of: /(?m)^fanfare-emulator .+$/)).0
        let folder = try Folder()
        if let texts = start.firstMatch(of: /(?s)> (\S+) <<'END'\n(.+?)\nEND\n/) {
            try folder.write(String(texts.2), to: String(texts.1))
        }
        let emulator = try await EmulatorProgram.start(String(line), in: folder)
        await emulator.stop()
        if let file = start.firstMatch(of: /"\$\(cat (\S+)\)"/) {
            #expect(
                try folder.read(String(file.1)).contains(name == "buttons" ? "BEGIN PRIVATE KEY" : "service_account"))
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
        let rows = page.blocks("sql").filter { $0.info == "sql" && $0.text.contains("'apple'") }.map(\.text)
        #expect(rows.count == 2, "through a hub, and straight to Apple")
        for row in rows {
            let named = row.matches(of: /"category": "(.+?)"/).map(\.1)
            #expect(!named.isEmpty && named.allSatisfy { $0 == category })
            #expect(row.contains("\"invitation\": ") && blocks[1].text.contains("userInfo[\"invitation\"]"))
        }
        let buttons = blocks[0].text.matches(of: /UNNotificationAction\(identifier: "(.+?)"/).map(\.1)
        #expect(blocks[1].text.matches(of: /case "(.+?)":/).map(\.1) == buttons)
        // The emulated phones have the app's buttons.
        let start = try #require(page.blocks.first { $0.info == "sh start" }).text
        let json = try #require(start.firstMatch(of: /(?s)<<'END'\n(.+?)\nEND\n/)).1
        let file = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: Any]]] ?? [:]
        #expect(file.keys.map { $0 } == [String(category)])
        #expect(file[String(category)]?.compactMap { $0["id"] as? String } == buttons.map { String($0) })
    }
}
