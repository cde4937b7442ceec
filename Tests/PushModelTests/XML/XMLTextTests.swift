import Testing

@testable import PushModel

@Suite struct XMLTextTests {
    @Test(arguments: [
        ("a &lt;b&gt; &amp;amp; &quot;c&quot; &apos;d&apos;", "a <b> &amp; \"c\" 'd'"), ("&#233;&#xe9;&#xE9;", "ééé"),
        ("a & b; c", "a & b; c"), ("&nbsp;&#xD800;&#1114112;&;", "&nbsp;&#xD800;&#1114112;&;"), ("&amp", "&amp"),
    ])
    func referencesAreReadAndTheRestStays(xml: String, text: String) {
        #expect(XMLText.unescape(Array(xml.utf8)[...]) == text)
    }
}
