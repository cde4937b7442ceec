import Testing

@testable import PushModel

/// That SQL says the same of every character is a test of StoreTests.
@Suite struct PersonNameTests {
    @Test(arguments: [
        "a", "ana", "Ana María", "ana@example.com", "Åse", "A\u{30A}se", "李", "Schedule", "🙂", "a/b\\c\"d'e",
        String(repeating: "x", count: 200),
    ])
    func aNameIsAnythingThatCanBeRead(name: String) {
        #expect(PersonName.isOne(name))
    }

    @Test(arguments: [
        "", " ", " ana", "ana ", "Ana  María", "schedule", "a\tb", "a\u{A0}b", "a\u{200B}b", "a\u{202E}b", "a\u{0}b",
        "👩\u{200D}🔬", String(repeating: "x", count: 201),
    ])
    func whatLooksLikeAnotherNameIsNone(name: String) {
        #expect(!PersonName.isOne(name))
    }
}
