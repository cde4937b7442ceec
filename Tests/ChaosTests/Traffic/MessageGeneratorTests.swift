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
        #expect(Set(rows.map(\.hub)) == Set(TestHub.allCases.map(\.rawValue)))
        #expect(Set(rows.map(\.priority)) == [0, 1, 2])
        #expect(Set(rows.compactMap(\.locale)) == ["en", "fr", "zh-Hans"])
        for isThere: (MessageGenerator.Row) -> Bool in [
            { $0.handles != nil }, { $0.contentKey != nil }, { $0.dedupeKey != nil }, { $0.onDoubt == "resend" },
            { $0.onDoubt == nil }, { $0.expires != nil }, { $0.delay > 3_600 }, { $0.tag?.contains("&&") == true },
        ] {
            #expect(rows.contains(where: isThere))
        }
    }

    private static let toShop = rows(seed: 1).filter { $0.hub == "shop" }

    @Test func everyKindIsWrittenForFCM() {
        let rows = Self.toShop
        #expect(rows.allSatisfy { $0.format == "fcmv1" && ($0.tag == nil) == ($0.handles?.count == 1) })
        for start in ["phone-", "fid:phone-", "gone-", "invalid-", "mismatch-", "throttle-", "unavailable-"] {
            #expect(rows.contains { $0.handles?[0].hasPrefix(start) == true }, "\(start)")
        }
        for tag in TestEmulator.topics { #expect(rows.contains { $0.tag == tag }) }
        for isThere: (MessageGenerator.Row) -> Bool in [
            { $0.dedupeKey != nil }, { $0.onDoubt == "resend" }, { $0.delay > 0 }, { $0.tag?.contains("&&") == true },
            { $0.locale == "fr" }, { $0.tag?.contains("refused-") == true }, { $0.tag?.hasSuffix(".4") == true },
        ] {
            #expect(rows.contains(where: isThere))
        }
    }

    private static let toIOS = rows(seed: 1).filter { $0.hub == "ios" }

    @Test func everyKindIsWrittenForAPNs() {
        let rows = Self.toIOS
        #expect(rows.allSatisfy { $0.format == "apple" && $0.tag == nil && $0.handles?.count == 1 })
        #expect(rows.allSatisfy { SendParser.markers(in: $0.content) == [$0.marker] })
        let starts = ["ab", "AB", MessageGenerator.goneHandle, "5a4db0c5", "dead0400", "dead1400"]
        for start in starts + MessageGenerator.goneHandles + MessageGenerator.slowHandles {
            #expect(rows.contains { $0.handles?[0].hasPrefix(start) == true }, "\(start)")
        }
        let digits = Set("0123456789abcdefABCDEF")
        #expect(rows.allSatisfy { $0.handles?[0].allSatisfy(digits.contains) == true })
        #expect(rows.allSatisfy { $0.handles?[0].count.isMultiple(of: 2) == true })
        for isThere: (MessageGenerator.Row) -> Bool in [
            { $0.dedupeKey != nil }, { $0.onDoubt == "resend" }, { $0.delay > 0 }, { $0.expires != nil },
            { $0.content.contains("content-available") },
        ] {
            #expect(rows.contains(where: isThere))
        }
    }

    /// A fifth of the answers would hold the hub, and five throttled phones among twenty would close its gate.
    @Test func tooFewTokensAreInvalidToHoldTheHub() {
        let handles = Self.toShop.map { $0.handles?[0] ?? "" }
        for start in handles.indices.dropLast(20) {
            let next = handles[start..<start + 20]
            #expect(next.count { $0.hasPrefix("invalid-") || $0.hasPrefix("mismatch-") } <= 2)
            #expect(next.count { $0.hasPrefix("throttle-") } <= 1)
        }
        let tokens = Self.toIOS.map { $0.handles?[0] ?? "" }
        for start in tokens.indices.dropLast(20) {
            let next = tokens[start..<start + 20]
            #expect(next.count { token in MessageGenerator.invalidHandles.contains(where: token.hasPrefix) } <= 2)
            #expect(next.count { token in MessageGenerator.slowHandles.contains(where: token.hasPrefix) } <= 1)
        }
    }

    /// Otherwise it would be tried for minutes after the run.
    @Test func whatIsRefusedForAWhileExpiresSoon() {
        let slow = (Self.toShop + Self.toIOS).filter { row in
            MessageGenerator.slow.contains { row.handles?[0].hasPrefix($0) == true }
        }
        #expect(!slow.isEmpty && slow.allSatisfy { ($0.expires ?? .infinity) < 15 })
    }
}
