import CommandLineTool
import PushModel
import Testing

@testable import fanfare_lab

/// How the demo fits text into columns.
@Suite struct DemoPageTests {
    @Test(arguments: [
        ("abc", 3), ("Chloé", 5), ("Chloe\u{301}", 5), ("李娜", 4), ("190个国家", 9), ("，。", 4), ("🔔", 2), ("", 0),
    ])
    func charactersTakeTheirColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
        #expect(text.padded(to: 10).columns == 10)
    }

    @Test func longTextIsClippedToItsColumns() {
        #expect("abcdef".clipped(to: 6) == "abcdef")
        #expect("abcdef".clipped(to: 4) == "abc…")
        #expect("气候协议达成".clipped(to: 6) == "气候…")
    }

    @Test func linesBreakAtBlanksAndBetweenWideCharacters() {
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("incomprehensible no".wrapped(to: 5) == ["incomprehensible", "no"])
        #expect("气候协议达成".wrapped(to: 7) == ["气候协", "议达成"])
        #expect("在2040年前".wrapped(to: 6) == ["在2040", "年前"])
        #expect("".wrapped(to: 5) == [""])
    }

    @Test func noLineBeginsWithAClosingMark() {
        #expect("气候协议，达成".wrapped(to: 8) == ["气候协", "议，达成"])
    }

    @Test func everyCardIsAsWideAsItsNeighbours() {
        for width in [80, 92, 96, 100] {
            var facts = DemoResults()
            for phone in facts.phones { facts.shown[phone.id] = phone.expected(facts.stories) }
            let page = DemoPage(style: TerminalStyle(isTerminal: false, width: width, hasColour: false))
            let lines = page.phones(facts).split(separator: "\n").map(String.init).filter {
                "│╭├╰".contains($0.dropFirst(3).first ?? " ")
            }
            #expect(Set(lines.map(\.columns)).count == 1, "\(width)")
            #expect(lines.allSatisfy { $0.columns <= width })
        }
    }

    /// However the demo was called, a blank parts a command from what it does.
    @Test(arguments: ["fanfare-lab demo", "/usr/local/bin/some/where/fanfare-lab demo", "swift run fanfare-lab demo"])
    func theNextStepsStandApart(command: String) {
        let page = DemoPage(style: TerminalStyle(isTerminal: false, width: 80, hasColour: false))
        let end = page.end(DemoResults(), command: command)
        #expect(end.contains("--messages 20000  sends more, and measures\n"), "\(end)")
        #expect(!end.contains("swift run fanfare-emulator"))
    }

    @Test func aNumberIsReadableWhateverItsSize() {
        #expect(
            [0, 12, 999, 1_000, 1_234_567].map { HumanFormat.grouped($0) } == [
                "0", "12", "999", "1,000", "1,234,567",
            ])
        #expect(
            [0.84, 33.4, 1_240, 26_000].map { HumanFormat.time(milliseconds: $0) } == [
                "0.8 ms", "33 ms", "1.2 s", "26 s",
            ])
    }

    @Test func thePaceIsThatOfTheLastTwoSeconds() {
        var pace = RateMeter()
        #expect(pace.rate == 0)
        for second in 0...4 { pace.note(second < 3 ? 0 : (second - 2) * 100, at: Double(second)) }
        #expect(pace.rate == 100)
    }

    @Test func theStatementQuotesWhatHasToBe() {
        let story = DemoScript(
            tags: ["World"], texts: [.english: DemoText(title: "It's \"here\"", news: "a\\b")])
        #expect(story.statement.contains(#""title": "It''s \"here\"""#))
        #expect(story.statement.contains(#""News": "a\\b""#))
    }
}
