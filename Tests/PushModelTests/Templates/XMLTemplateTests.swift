import Testing

@testable import PushModel

@Suite struct XMLTemplateTests {
    private static let toast = """
        <?xml version="1.0" encoding="utf-8"?>\r
        <!-- $(not) <an> &expression; -->
        <toast launch="$(url)"  duration='long'>
          <visual><?tool $(x)?>
            <binding template="ToastText02"><text id="1">$(title)</text><text id="2">Hi $(name)</text>
            <text>{'a &lt; ' + $(n, 3)}</text><text/><text></text></binding>
          </visual>
        </toast><!-- end -->\n
        """

    @Test func onlyExpressionsAreReplacedAndTheRestStaysByteForByte() throws {
        let template = try Template(xml: Self.toast)
        let rendered = template.render(["url": "x?a=1&b=\"2\"'", "title": "<b>&amp;", "n": "12345"])
        let expected = Self.toast.replacing("$(url)", with: "x?a=1&amp;b=&quot;2&quot;&apos;")
            .replacing(">$(title)<", with: ">&lt;b&gt;&amp;amp;<").replacing(
                "{'a &lt; ' + $(n, 3)}", with: "a &lt; 123")
        #expect(rendered == expected)
    }

    @Test func aTemplateNamesThePropertiesItUses() throws {
        let template = try Template(xml: "<a b='$(one)'><c>{$(TWO)+$(One)}</c><d>$(three:{x})</d></a>")
        #expect(template.propertyNames == ["one", "TWO", "three"])
        #expect(template.requiredNames == ["one", "TWO"])
    }

    @Test(
        arguments: [
            // Only the first character makes an expression, and white space is a character.
            ("<a>Hi $(m)</a>", "<a>Hi $(m)</a>"), ("<a> $(m)</a>", "<a> $(m)</a>"),
            ("<a>\n$(m)\n</a>", "<a>\n$(m)\n</a>"),
            // References are decoded first; an inserted value is escaped.
            ("<a>&#36;(m)</a>", "<a>V&amp;</a>"), ("<a b=\"{&quot;x&quot; + $(m)}\"/>", "<a b=\"xV&amp;\"/>"),
            ("<a b='{&apos;x&apos; + $(m)}'/>", "<a b='xV&amp;'/>"),
            // CDATA is text, alone or beside other text; comments are kept.
            ("<a><![CDATA[$(m)]]></a>", "<a>V&amp;</a>"), ("<a><![CDATA[$(]]>m)</a>", "<a>V&amp;</a>"),
            ("<a>$(<!-- c -->m)</a>", "<a>V&amp;<!-- c --></a>"), ("<a><!-- c -->$(m)</a>", "<a><!-- c -->V&amp;</a>"),
            ("<a><![CDATA[{'<' + $(m)}]]></a>", "<a>&lt;V&amp;</a>"),
            // The text of an element with a child is never an expression.
            ("<a>$(m)<b/></a>", "<a>$(m)<b/></a>"), ("<a><b/>$(m)</a>", "<a><b/>$(m)</a>"),
            // Numbers are text in XML; a missing property is empty.
            ("<a>#(n)</a>", "<a>40</a>"), ("<a b='$(none)'>$(none)</a>", "<a b=''></a>"),
            ("<a>.(long, 6)</a>", "<a>abc...</a>"), ("<a>%(m)</a>", "<a>V%26</a>"),
            // Characters that XML cannot carry or would change.
            ("<a>$(odd)</a>", "<a>?&#13;\n\t?</a>"), ("<a b='$(odd)'/>", "<a b='?&#13;&#10;&#9;?'/>"),
            ("\u{FEFF}<wp:a xmlns:wp='WPNotification'><wp:b>$(m)</wp:b></wp:a>", nil),
            ("<ünïcode>$(m)</ünïcode>", "<ünïcode>V&amp;</ünïcode>"),
        ] as [(String, String?)])
    func expressionsInXML(xml: String, rendered: String?) throws {
        let properties = ["m": "V&", "n": "40", "long": "abcdefgh", "odd": "\u{1}\r\n\t\u{FFFE}"]
        let text = try Template(xml: xml).render(properties)
        #expect(text == rendered ?? xml.replacing("$(m)", with: "V&amp;"))
        #expect(XMLOutline(text) != nil)
    }

    @Test(arguments: [
        ("", "character 1: it must be an XML document, which begins with <"),
        ("{}", "character 1: it must be an XML document, which begins with <"),
        ("<a>", "a: character 4: the element \"a\" is not closed"),
        ("<a></b>", "a: character 7: </b> closes \"a\""),
        ("<a/><b/>", "character 5: something follows the end of the root element"),
        ("<!DOCTYPE a><a/>", "character 1: a document type is not allowed"),
        ("<a><!DOCTYPE a></a>", "a: character 4: a document type is not allowed"),
        ("<a b='1' b='2'/>", "a/@b: character 11: the attribute appears twice"),
        ("<a b=1/>", "a/@b: character 6: an attribute's value must be in quotation marks"),
        ("<a b='<'/>", "a/@b: character 7: < in an attribute is written &lt;"),
        ("<a b='x'c='y'/>", "a: character 9: white space is missing before an attribute"),
        ("<a>&nbsp;</a>", "known are &lt;"), ("<a>&#0;</a>", "known are &lt;"), ("<a>&#xD800;</a>", "known are &lt;"),
        ("<a>&#+65;</a>", "known are &lt;"), ("<a>A & B</a>", "a: character 6: & is written &amp;"),
        ("<a>]]></a>", "a: character 4: ]]> in a text is written ]]&gt;"),
        ("<a><!-- -- --></a>", "a: character 11: -- is not allowed inside a comment"),
        ("<a><?xml version='1.0'?></a>", "a: character 9: an XML declaration is allowed only at the very start"),
        ("<a>\u{1}</a>", "a: character 4: a control character"),
        ("<é><a/><a><b c='ok'>$(x</b></a></é>", "é/a[2]/b: character 4: \")\" is missing"),
        ("<a><b c='$5 off'/></a>", "a/b/@c: character 2: \"(\" is missing after \"$\""),
        ("<a>$body</a>", "a: character 1: $body is not supported"),
    ])
    func anErrorNamesTheElementThePositionAndTheRule(xml: String, text: String) {
        #expect { try Template(xml: xml) } throws: { "\($0)".contains(text) }
    }

    @Test func hostileDocumentsAreRefusedAndNotFollowed() {
        let deep = String(repeating: "<a>", count: 20_000)
        #expect { try Template(xml: deep) } throws: { "\($0)".contains("nested deeper than 64") }
        let long = "<a>" + String(repeating: "x", count: 70_000) + "</a>"
        #expect { try Template(xml: long) } throws: { "\($0)".contains("at most 65536 are allowed") }
        let fits = String(repeating: "<a>", count: 65) + String(repeating: "</a>", count: 65)
        #expect(throws: Never.self) { try Template(xml: fits) }
    }

    @Test(arguments: [
        ("Hello $(name)", true), ("see %(url) there", true), ("n: #(n)", true), ("cut .(t, 5)", true),
        ("or $(t:{x})", true), ("$(name)", false), ("Costs $5 (new)", false), ("f(x)", false), ("etc.(a)", false),
        ("a$(", false), ("x $()", false), ("x $(a b)", false), ("", false), ("(", false),
    ])
    func anExpressionInsideATextIsReported(text: String, isMixed: Bool) throws {
        let json = try Template(json: "{\"a\":{\"b\":[\"\(text)\"]}}")
        #expect(json.mixed == (isMixed ? [.init(path: "a.b[0]", text: text)] : []))
        let xml = try Template(xml: "<a><b/><b c='\(text)'>\(text)</b></a>")
        #expect(xml.mixed.map(\.path) == (isMixed ? ["a/b[2]/@c", "a/b[2]"] : []))
    }

    @Test func anOutlineHasTheRootAndTheTexts() {
        let outline = XMLOutline(
            "<?xml version='1.0'?><toast><text>a&amp;b</text><x><text><![CDATA[<c>]]></text></x></toast>")
        #expect(outline?.root == "toast")
        #expect(outline?.texts == [.init(element: "text", text: "a&b"), .init(element: "text", text: "<c>")])
        #expect(XMLOutline("<a") == nil)
    }
}
