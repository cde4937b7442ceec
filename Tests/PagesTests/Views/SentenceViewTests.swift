import Testing

@testable import Pages

@Suite struct SentenceViewTests {
    @Test(arguments: [
        ("back at 2027-01-15T08:00:30Z.", "back at <2027-01-15 08:00:30 UTC>."),
        ("2027-01-15T08:00:30.123Z", "<2027-01-15 08:00:30 UTC>"),
        (
            "from 2027-01-15T08:00:00Z to 2027-01-16T08:00:00Z",
            "from <2027-01-15 08:00:00 UTC> to <2027-01-16 08:00:00 UTC>"
        ),
        ("2027-02-30T08:00:00Z, 2027-01-15T08:00:00Z", "2027-02-30T08:00:00Z, <2027-01-15 08:00:00 UTC>"),
        ("9999-12-31T00:00:00Z", "9999-12-31T00:00:00Z"), ("2027-01-15T09:00:00+01:00", "2027-01-15T09:00:00+01:00"),
        ("12027-01-15T08:00:30Z", "1<2027-01-15 08:00:30 UTC>"), ("2027-01-15T08:00:30.Z", "2027-01-15T08:00:30.Z"),
        ("2027-01-15T08:00:30.5", "2027-01-15T08:00:30.5"), ("2027-01-15T08:00:30", "2027-01-15T08:00:30"),
        ("２０２７-01-15T08:00:30Z", "２０２７-01-15T08:00:30Z"), ("ä 2027-01-15T08:00:30Z é", "ä <2027-01-15 08:00:30 UTC> é"),
        ("nothing", "nothing"), ("", ""),
    ])
    func timesOfASentenceFollowTheZoneOfThePage(text: String, shown: String) {
        let pieces = SentenceView(text).pieces
        #expect(pieces.map { $0.pieceMoment.map { "<\($0.momentText)>" } ?? $0.pieceText }.joined() == shown)
    }

    /// What others wrote is text, whatever stands beside a time.
    @Test func aSentenceIsEscaped() {
        let library = TemplateLibrary([("page.mustache", "<p>{{#words}}{{> sentence}}{{/words}}</p>")])
        let page = library.render(["words": SentenceView("<b> 2027-01-15T08:00:30Z\"><script>")], "page")
        #expect(
            page
                == "<p>&lt;b&gt; <time datetime=\"2027-01-15T08:00:30Z\">2027-01-15 08:00:30 UTC</time>&quot;&gt;&lt;script&gt;</p>"
        )
    }

    @Test func noTextIsNoSentence() {
        #expect(SentenceView(orNil: nil)?.pieces.count == nil && SentenceView(orNil: "")?.pieces.count == nil)
        #expect(SentenceView(orNil: "x")?.pieces.count == 1)
    }
}
