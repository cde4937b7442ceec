import Pages
import Testing

@Suite struct TemplateLibraryTests {
    private struct View {
        var text: String
        var maybe: String?
    }

    private static func render(_ view: View) -> String {
        TemplateLibrary([
            (
                "t.mustache",
                "{{#text}}[{{text}}]{{/text}}{{^text}}none{{/text}} {{#maybe}}[{{.}}]{{/maybe}}{{^maybe}}none{{/maybe}}"
            )
        ]).render(view, "t")
    }

    @Test func anEmptyTextIsNoValue() {
        #expect(Self.render(View(text: "", maybe: "")) == "none none")
        #expect(Self.render(View(text: "", maybe: nil)) == "none none")
        #expect(Self.render(View(text: "a", maybe: "b")) == "[a] [b]")
    }

    @Test func aTextIsEscapedOnce() {
        #expect(Self.render(View(text: "<&", maybe: "\"")) == "[&lt;&amp;] [&quot;]")
    }
}
