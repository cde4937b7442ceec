import Pages
import Synchronization
import Testing

@Suite struct ViewFieldsTests {
    private struct Line {
        var name: String
        var why: String?
        var next: [Line] = []
    }

    private struct Seconds: CustomStringConvertible {
        var number: Int
        var description: String { "\(number) s" }
    }

    private enum Word { case open }

    private struct View {
        var title = "T"
        var why: String? = "around"
        var lines = [Line(name: "a", why: nil, next: [Line(name: "c", why: "z")]), Line(name: "b", why: "x")]
        var one: Line? = Line(name: "one", why: nil)
        var none: Line?
        var words = ["<p>", "q"]
        var numbers = [1, 2]
        var flag = true
        var wait = Seconds(number: 5)
        var word = Word.open
        var table = ["key": Line(name: "of a table")]
        var pair = (left: 1, right: "r")
        var share = 0.5
    }

    private static func render(_ view: Any, _ template: String) -> String {
        TemplateLibrary([("t.mustache", template)]).render(view, "t")
    }

    @Test(arguments: [
        ("{{title}} {{share}} {{wait}} {{word}}", "T 0.5 5 s open"),
        ("{{#lines}}{{name}}{{why}}{{#next}}({{name}}{{why}}{{title}}){{/next}};{{/lines}}", "aaround(czT);bx;"),
        ("{{#one}}{{name}}{{why}}{{/one}}{{#none}}some{{/none}}{{^none}}none{{/none}}", "onearoundnone"),
        ("{{#words}}{{.}}{{/words}}{{#numbers}}{{.}}{{/numbers}}{{#flag}}yes{{/flag}}", "&lt;p&gt;q12yes"),
        ("{{one.name}} {{table.key.name}} {{pair.left}} {{pair.right}} {{wait.number}}", "one of a table 1 r 5"),
        ("{{^lines}}none{{/lines}}{{#nothing}}some{{/nothing}}{{#lines}}{{^last()}}, {{/last()}}{{/lines}}", ", "),
    ]) func templatesFindWhatAViewHas(_ template: String, _ shown: String) {
        #expect(Self.render(View(), template) == shown)
    }

    @Test func aTableIsAViewToo() {
        #expect(Self.render(["line": Line(name: "n")], "{{#line}}{{name}}{{/line}}") == "n")
    }

    /// Counts how often it is taken apart.
    private final class Counter: Sendable {
        let looks = Mutex(0)
    }

    private struct Counted: CustomReflectable {
        let counter: Counter
        var customMirror: Mirror {
            counter.looks.withLock { $0 += 1 }
            return Mirror(self, children: ["a": "1", "b": "2", "inner": Line(name: "n")], displayStyle: .struct)
        }
    }

    @Test func aViewIsTakenApartOnceForAllNames() {
        let counter = Counter()
        let template = "{{a}}{{b}}{{a}}{{#inner}}{{name}}{{b}}{{/inner}}{{c}}"
        #expect(Self.render(Counted(counter: counter), template) == "121n2")
        #expect(counter.looks.withLock(\.self) == 1)
    }
}
