import Testing

@testable import PushModel

/// How texts of all scripts fit into the columns of a terminal.
@Suite struct ColumnsTests {
    @Test(arguments: [
        ("⌚", 2), ("✅", 2), ("🇫🇷", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("مرحبا", 5), ("שָׁלוֹם", 4),
        ("\u{2068}مرحبا\u{2069}", 5), ("नमस्ते", 4), ("☎", 1),
    ])
    func charactersTakeTheirColumns(text: String, columns: Int) { #expect(text.columns == columns) }

    @Test func aWordLongerThanALineIsBroken() {
        #expect("abcdefgh ij".folded(to: 3) == ["abc", "def", "gh", "ij"])
        #expect("看https://example.com".folded(to: 8) == ["看", "https://", "example.", "com"])
        #expect("气候".folded(to: 1) == ["气", "候"])
        #expect("".folded(to: 3) == [""])
    }

    @Test func onlyATextFromRightToLeftIsIsolated() {
        #expect("abc".isolated == "abc" && "气候 1".isolated == "气候 1")
        #expect("a مرحبا".isolated == "\u{2068}a مرحبا\u{2069}")
        #expect("שלום".isolated == "\u{2068}שלום\u{2069}")
    }
}
