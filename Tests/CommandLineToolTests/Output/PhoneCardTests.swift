import PushModel
import Testing

@testable import CommandLineTool

/// Phones drawn in a terminal.
@Suite struct PhoneCardTests {
    private static func card(_ title: String, _ text: String, owner: String = "iPhone") -> PhoneCard {
        PhoneCard(
            owner: owner, about: ["French, template news-fr", "French"], under: "3 of 4,096 bytes",
            blocks: [[.init(title, .bold), .init(text)]])
    }

    private static func lines(_ cards: [PhoneCard], width: Int, colour: Bool = false) -> [String] {
        PhoneCard.rows(cards, TerminalStyle(width: width, hasColour: colour))
    }

    @Test func aPhoneIsABoxOfLines() {
        let lines = PhoneCard.rows(
            [Self.card("Vous nous manquez", "Revenez, il y a du nouveau")], across: 1, width: 24,
            TerminalStyle(width: 24))
        #expect(
            lines == [
                "╭──────────────────────╮", "│ iPhone        French │", "│ 3 of 4,096 bytes     │",
                "├──────────────────────┤", "│ Vous nous manquez    │", "│ Revenez, il y a du   │",
                "│ nouveau              │", "╰──────────────────────╯",
            ])
    }

    private static let texts = [
        "short", "气候协议达成，一百九十个国家签署了新的协议", "مرحبا بالعالم، هذا نص طويل يحتاج إلى أكثر من سطر واحد",
        "https://example.com/a/very/long/address/without/a/blank/that/does/not/fit", "line\none\r\ntwo\u{2028}three",
        "\u{1B}[2J\u{7}\u{202E}evil\u{2066}\u{9B}31m", "👨‍👩‍👧‍👦🇫🇷✅", "e\u{301}\u{301}\u{301}", "", "\t\u{0}\u{200F}",
        "한국어 알림",
    ]

    @Test(arguments: [20, 40, 41, 80, 100, 200])
    func allCardsOfARowAreAsWideAsEachOther(width: Int) {
        let cards = Self.texts.map { Self.card($0, $0 + $0, owner: $0) }
        let lines = Self.lines(cards, width: width)
        let edge = lines[0].columns
        #expect(lines.allSatisfy { edge >= $0.columns }, "\(lines)")
        #expect(Set(lines.prefix(8).map(\.columns)) == [edge])
        #expect(edge <= max(width, 12))
    }

    @Test func nothingInATextCommandsTheTerminal() {
        let text = Self.lines(Self.texts.map { Self.card($0, $0, owner: $0) }, width: 40).joined(separator: "\n")
        let marks: Set<Unicode.Scalar> = ["\u{2068}", "\u{2069}", "\n"]
        #expect(text.unicodeScalars.allSatisfy { marks.contains($0) || $0.properties.generalCategory != .control })
        // What turns the direction is our own pair, closed on its own line.
        #expect(!text.contains("\u{202E}") && !text.contains("\u{2066}"))
        for line in text.split(separator: "\n") {
            let opened = line.unicodeScalars.count { $0 == "\u{2068}" }
            #expect(opened == line.unicodeScalars.count { $0 == "\u{2069}" })
        }
        #expect(text.contains("\u{2068}"))
    }

    @Test func coloursChangeNoLetter() {
        let plain = Self.lines([Self.card("T", "B")], width: 40)
        let painted = Self.lines([Self.card("T", "B")], width: 40, colour: true)
        let escapes = #/\u{1B}\[[0-9;]*m/#
        #expect(painted.map { $0.replacing(escapes, with: "") } == plain && painted != plain)
    }

    @Test func aPhoneThatShowsNothingSaysSo() {
        let card = PhoneCard(owner: "a", about: [], under: "", blocks: [])
        #expect(Self.lines([card], width: 40).contains { $0.contains("(nothing)") })
        #expect(Self.lines([], width: 40).isEmpty)
    }
}
