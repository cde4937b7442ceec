import Foundation
import PushModel
import Testing

@testable import Providers

@Suite struct PushIDTests {
    @Test func theEndIsTheNumberOfThePost() {
        #expect(PushID(database: 0, post: 0).text == "00000000-0000-8000-8000-000000000000")
        #expect(PushID(database: .max, post: 1_234).text == "ffffffff-ffff-8fff-8000-0000000004d2")
        #expect(PushID(database: 1, post: .max).text == "00000000-0000-8001-bfff-ffffffffffff")
    }

    @Test func everyIdIsAUUIDOfVersionEightAndNoTwoAreTheSame() throws {
        var random = SeededRandom(seed: 8)
        var seen: [String: (UInt64, Int64)] = [:]
        for _ in 0..<2_000 {
            let database = UInt64.random(in: 0..<(1 << 60), using: &random)
            let post = Int64.random(in: 0..<(1 << 62), using: &random)
            let text = PushID(database: database, post: post).text
            let uuid = try #require(UUID(uuidString: text))
            #expect(uuid.uuid.6 >> 4 == 8 && uuid.uuid.8 >> 6 == 2)
            #expect(text == text.lowercased() && PushID(text)?.text == text)
            #expect(seen.updateValue((database, post), forKey: text) == nil)
        }
        for bit in 0..<60 { #expect(PushID(database: 1 << bit, post: 0).text != PushID(database: 0, post: 0).text) }
        for bit in 0..<62 { #expect(PushID(database: 0, post: 1 << bit).text != PushID(database: 0, post: 0).text) }
    }

    @Test func anIdOfAppleIsReadInAnyCase() {
        #expect(PushID("EABEAE54-14A8-11E5-B60B-1697F925EC7B")?.text == "eabeae54-14a8-11e5-b60b-1697f925ec7b")
        for text in [
            "", "abc", "eabeae54-14a8-11e5-b60b-1697f925ec7", "eabeae5414a811e5b60b1697f925ec7b----",
            "eabeae54-14a8-11e5-b60b-1697f925ec7g", "eabeae54-14a8-11e5-b60b_1697f925ec7b",
            "éabeae54-14a8-11e5-b60b-1697f925ec",
        ] { #expect(PushID(text) == nil, "\(text)") }
    }
}
