import Testing

@testable import PushModel

@Suite struct XMLScannerTests {
    /// The events of a document as text, up to its end or its first fault.
    private func events(_ xml: String) -> [String] {
        let bytes = Array(xml.utf8)
        var scanner = XMLScanner(bytes)
        var events: [String] = []
        do throws(XMLError) {
            while let event = try scanner.next() {
                switch event {
                case .start: events.append("<\(scanner.path)>")
                case .attribute(let range):
                    events.append("\(scanner.path)=\(XMLText.decodeAttribute(bytes, range))")
                case .end(let text, let isLeaf):
                    events.append(
                        "</\(scanner.path)> \(XMLText.decodeText(bytes, text))\(isLeaf ? "" : " after a child")")
                case .instruction: events.append("<?...?>")
                }
            }
        } catch {
            events.append("\(error.position): \(error.rule)")
        }
        return events
    }

    @Test func eventsComeInDocumentOrder() {
        #expect(
            events(
                "<?xml version='1.0'?><?p?><a x='1 &amp;\n2'><b>t<!-- c --><![CDATA[<u>]]></b>v<?p?><b/>w</a><!-- c -->\n<?p?>"
            )
                == [
                    "<?...?>", "<a>", "a/@x=1 & 2", "<a/b>", "</a/b> t<u>", "<?...?>", "<a/b[2]>", "</a/b[2]> ",
                    "</a> w after a child", "<?...?>",
                ])
    }

    @Test func eventsBeforeAFaultAreReported() {
        #expect(
            events("<a><b>t</b><c>u</a>") == [
                "<a>", "<a/b>", "</a/b> t", "<a/c>", "</a/c> u", "19: </a> closes \"c\"",
            ])
        #expect(events("") == ["1: it must be an XML document, which begins with <"])
    }

    @Test(
        arguments: [
            ("<toast/>", "toast"), ("\u{FEFF}<?xml version='1.0'?>\n<!-- c --><?p?><wp:tile x", "wp:tile"),
            ("<!DOCTYPE a SYSTEM 'b'><!-- c --><a", "a"), ("", nil), ("text", nil), ("<", nil), ("<!DOCTYPE a", nil),
        ] as [(String, String?)])
    func theRootIsFoundWithoutTheRest(xml: String, name: String?) {
        #expect(XMLScanner.rootName(of: Array(xml.utf8)) == name)
    }
}
