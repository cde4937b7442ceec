import Mustache
import Testing

@testable import HubEmulator

/// No value becomes markup, in any template: the pages, and the parts that the script puts into them.
@Suite struct PageEscapingTests {
    /// A mark alone, or sharing a character with what stands beside it.
    struct Vector: Sendable, CustomTestStringConvertible {
        let mark: String
        let escaped: String
        let before: String
        let after: String

        var value: String { before + mark + after + "VALUE" }
        var shown: String { before + escaped + after + "VALUE" }
        var testDescription: String { value.unicodeScalars.map { $0.escaped(asASCII: true) }.joined() }
    }

    private static let vectors: [Vector] = [
        ("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("\"", "&quot;"), ("'", "&#39;"),
    ].flatMap { mark, escaped in
        [("", ""), ("\u{600}", ""), ("\u{110BD}", ""), ("", "\u{301}"), ("\u{600}", "\u{301}")].map {
            Vector(mark: mark, escaped: escaped, before: $0, after: $1)
        }
    }

    /// Has the value under every name, so that every section of a template is rendered with it.
    private struct Hostile: MustacheParent {
        let value: String
        /// Names without a value, for what then stands in their place.
        let absent: Set<String>

        func child(named name: String) -> Any? {
            // `toolContent` is HTML of our own templates.
            name == "toolContent" || absent.contains(name) ? nil : value
        }
    }

    @Test(arguments: vectors) func aValueIsATextInEveryTemplate(vector: Vector) {
        for (name, source) in PageTemplates.sources {
            for without in [[], Self.inverted(source)] {
                let html = PageTemplates.render(Hostile(value: vector.value, absent: without), name).unicodeScalars
                let shown = html.ranges(of: vector.shown.unicodeScalars).count
                let all = html.ranges(of: "VALUE".unicodeScalars).count
                #expect(shown == all && !html.contains(vector.value.unicodeScalars), "\(name)")
            }
        }
    }

    @Test func everyTemplateWithAValueShowsIt() {
        let silent = PageTemplates.sources.filter { name, source in
            let shown = [[], Self.inverted(source)].map {
                PageTemplates.render(Hostile(value: "VALUE", absent: $0), name)
            }
            return source.contains(/\{\{[a-zA-Z.]/) && !shown.joined().contains("VALUE")
        }
        #expect(silent.map(\.0) == [])
    }

    /// The names of the sections that stand where there is no value.
    private static func inverted(_ source: String) -> Set<String> {
        Set(source.matches(of: /\{\{\^([A-Za-z]+)\}\}/).map { String($0.1) })
    }
}
