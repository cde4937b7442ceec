import Testing

@testable import Pages

@Suite struct CountViewTests {
    private func html(_ view: CountView) -> String { TemplateLibrary([]).render(view, "count") }

    @Test func aNumberSaysOfWhat() {
        #expect(html(CountView(1_234)) == #"<b class="count">1,234</b>"#)
        #expect(html(CountView(3, of: "these 50")) == #"<b class="count">3</b> <span class="of">of these 50</span>"#)
        #expect(html(CountView(3, of: "<b>")).contains("of &lt;b&gt;"))
    }

    @Test func countingThatEndedSaysSo() {
        #expect(CountView(10_000, hasMore: true).countText == "10,000+")
        let texts = [9_999, 10_000, 10_001].map { CountView($0, upTo: 10_000).countText }
        #expect(texts == ["9,999", "10,000+", "10,000+"])
    }
}
