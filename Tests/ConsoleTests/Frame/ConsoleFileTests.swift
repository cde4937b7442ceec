import Pages
import Testing

@testable import Console

@Suite struct ConsoleFileTests {
    @Test func styleAndScriptAreSmall() {
        #expect(ConsoleFile.style.utf8.count < 24_000)
        #expect(ConsoleFile.script.utf8.count < 10_000)
    }

    @Test func everyFileOfOursIsUsed() {
        for file in EmbeddedFiles.all where file.name.hasSuffix(".css") || file.name.hasSuffix(".js") {
            let text = file.text.withoutLastLineEnd
            let isUsed = ConsoleFile.style.contains(text) || ConsoleFile.script.contains(text.withoutCommentLines)
            #expect(isUsed, "\(file.name)")
        }
    }

    @Test func aScriptLosesItsCommentsAlone() {
        #expect("// a\nb // c\n  // d\n\n\"//\";\n".withoutCommentLines == "b // c\n\n\"//\";\n")
    }

    /// The content policy would drop it without a word.
    @Test func nothingIsInline() {
        for (name, text) in ConsoleTemplates.sources {
            #expect(text.firstMatch(of: /\s(style|on[a-z]+)\s*=|<style|javascript:|data:/) == nil, "\(name)")
            #expect(text.firstMatch(of: /<script(?![^>]*\ssrc=)/) == nil, "\(name)")
        }
        #expect(!ConsoleFile.style.contains("url(") && !ConsoleFile.style.contains("@import"))
    }

    @Test(arguments: StateLook.allCases) func everyStateHasAShape(look: StateLook) {
        #expect(ConsoleFile.style.contains(".state.\(look)::before {"))
    }
}
