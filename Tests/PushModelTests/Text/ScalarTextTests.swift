import Testing

@testable import PushModel

/// Marks that share a character with a neighbour are found.
@Suite struct ScalarTextTests {
    @Test(arguments: [
        ("it's", "it''s"), ("\u{600}'", "\u{600}''"), ("\u{110BD}'", "\u{110BD}''"), ("'\u{301}", "''\u{301}"),
        ("''", "''''"), ("", ""),
    ])
    func aMarkIsReplacedWhereverItStands(text: String, replaced: String) {
        #expect(Array(text.replacing(scalars: "'", with: "''").utf8) == Array(replaced.utf8))
        #expect(Array(text[...].replacing(scalars: "'", with: "''").utf8) == Array(replaced.utf8))
    }

    @Test func severalScalarsAreReplacedTogether() {
        #expect("a]]>\u{301}]]b".replacing(scalars: "]]>", with: "-") == "a-\u{301}]]b")
    }

    @Test func aTextIsSplitAtEveryMark() {
        #expect("a=\u{301}b\u{600}=c".split(scalar: "=") == ["a", "\u{301}b\u{600}", "c"])
        #expect("a=b=c".split(scalar: "=", maxSplits: 1) == ["a", "b=c"])
        #expect("==".split(scalar: "=", omittingEmptySubsequences: false) == ["", "", ""])
    }
}
