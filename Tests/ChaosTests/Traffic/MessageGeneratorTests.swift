import Testing

@testable import Chaos

@Suite struct MailTests {
    private static func rows(seed: UInt64, count: Int = 2_000) -> [MessageGenerator.Row] {
        var generator = MessageGenerator(seed: seed)
        return (0..<count).flatMap { _ in generator.next().flatMap { $0 } }
    }

    @Test func aSeedRepeatsTheMail() {
        #expect(Self.rows(seed: 3).map(\.marker) == Self.rows(seed: 3).map(\.marker))
        #expect(Self.rows(seed: 3).map(\.marker) != Self.rows(seed: 4).map(\.marker))
    }

    /// Without this a request would not tell which messages it carried.
    @Test func aTagAndAMarkerNameOneMessage() {
        let rows = Self.rows(seed: 1)
        let names = rows.map { "\($0.tag ?? "") \($0.marker)" }
        #expect(Set(names).count == names.count)
        #expect(rows.allSatisfy { SendParser.markers(in: $0.content) == [$0.marker] || $0.tag == nil })
        let direct = rows.filter { $0.tag == nil }
        #expect(Set(direct.map(\.marker)).count == direct.count)
    }

    @Test func everyKindIsWritten() {
        let rows = Self.rows(seed: 1)
        #expect(Set(rows.map(\.hub)) == ["news", "local"])
        #expect(Set(rows.map(\.priority)) == [0, 1, 2])
        #expect(Set(rows.compactMap(\.locale)) == ["en", "fr", "zh-Hans"])
        for isThere: (MessageGenerator.Row) -> Bool in [
            { $0.handles != nil }, { $0.contentKey != nil }, { $0.dedupeKey != nil }, { $0.onDoubt == "resend" },
            { $0.onDoubt == nil }, { $0.expires != nil }, { $0.delay > 3_600 }, { $0.tag?.contains("&&") == true },
        ] {
            #expect(rows.contains(where: isThere))
        }
    }
}
