import Testing

@testable import Console

@Suite struct OneTimeKeyTests {
    @Test func aKeyWorksOnce() {
        var key = OneTimeKey(now: 100)
        let text = key.text.reveal()
        #expect(key.use(text, now: 159) == .accepted)
        #expect(key.use(text, now: 159) == .used)
        #expect(key.use(text, now: 1_000) == .used)
    }

    @Test func aKeyWorksWithinAMinute() {
        var key = OneTimeKey(now: 100)
        #expect(key.use(key.text.reveal(), now: 160) == .late)
    }

    @Test func aWrongKeyUsesNothingUp() {
        var key = OneTimeKey(now: 0)
        let text = key.text.reveal()
        for wrong in [
            "", String(text.dropLast()), text + "a", text.lowercased() + "!", OneTimeKey(now: 0).text.reveal(),
        ] {
            #expect(key.use(wrong, now: 1) == .wrong)
        }
        #expect(key.use(text, now: 1) == .accepted)
    }

    @Test func aKeyCannotBeGuessed() {
        let keys = (0..<100).map { _ in OneTimeKey(now: 0).text.reveal() }
        #expect(Set(keys).count == 100 && keys.allSatisfy { $0.utf8.count == 43 })
        #expect("\(OneTimeKey(now: 0))".contains("•••"))
    }
}
