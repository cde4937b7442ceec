import ProgramSupport
import Testing

@testable import Console

@Suite struct HubAdviceTests {
    /// The table of the document is what people read at night, too.
    @Test func theWordsAreThoseOfTheDocument() throws {
        let page = try Repository.text("docs/operations.md")
        let section = try #require(page.components("## A hub does not send", until: "\n## "))
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.dropFirst().map { line in
            line.split(separator: "|").map { Self.plain(String($0)) }.filter { !$0.isEmpty }
        }
        #expect(rows.map(\.first) == ["no pass", "gate closed", "failing", "held", "paused"])
        for row in rows {
            let advice = HubAdvice(row[0])
            #expect(advice.means == row[1] && advice.ends == row[2])
        }
    }

    @Test func anOpenHubNeedsNothingAndAnUnknownStateHasNoWords() {
        #expect(HubAdvice("open").look == .good && HubAdvice("open").ends == nil)
        #expect(HubAdvice("asleep").look == .waits && HubAdvice("asleep").means == nil)
    }

    /// Without what Markdown marks.
    private static func plain(_ cell: String) -> String {
        let words = cell.replacing("`", with: "").replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
        return words.split(separator: " ").joined(separator: " ")
    }
}

extension String {
    fileprivate func components(_ begin: String, until end: String) -> Substring? {
        guard let begin = firstRange(of: begin) else { return nil }
        let rest = self[begin.upperBound...]
        return rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
    }
}
