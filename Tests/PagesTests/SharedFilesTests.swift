import Testing

@testable import Pages

@Suite struct SharedFilesTests {
    /// What is shared knows no address: the page that uses it gives it one.
    @Test func noSharedFileLeadsToAnAddressOfOneProgram() {
        let known = EmbeddedFiles.all.filter { $0.text.contains(/(href|action|src|fetch)\W{1,3}\//) }
        #expect(known.map(\.name) == [])
        #expect(EmbeddedFiles.all.count >= 8)
    }

    @Test func everyFileIsInItsPart() {
        let parts = [
            SharedStyle.base, SharedStyle.top, SharedStyle.panel, SharedStyle.table, SharedStyle.form, SharedStyle.hues,
            SharedStyle.phone, SharedStyle.motion, SharedStyle.card, SharedScript.parts, SharedScript.copy,
        ]
        let files = EmbeddedFiles.all.filter { $0.name.hasSuffix(".css") || $0.name.hasSuffix(".js") }
        #expect(Set(files.map(\.text)) == Set(parts) && parts.count == files.count)
        #expect(TemplateLibrary([]).sources.count + files.count == EmbeddedFiles.all.count)
    }

    @Test func aTargetsTemplatesUseTheSharedOnes() {
        let templates = TemplateLibrary([("mine.mustache", "<li>{{> screen}}</li>\n"), ("mine.css", "{{")])
        let names = ["age", "card", "chart", "count", "mine", "moment", "screen", "sentence"]
        #expect(templates.sources.map(\.name).sorted() == names)
        let html = templates.render(ScreenView("a", platform: nil, cards: []), "mine")
        #expect(html.hasPrefix(#"<li><div class="frame">"#) && html.hasSuffix("</div></div></li>"))
    }
}
