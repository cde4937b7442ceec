import Testing

@testable import Providers

@Suite struct StringSanitisedTests {
    @Test func everyTextBecomesOneLine() {
        #expect(" a\r\n\tb\u{2028}c\u{0}d  e\u{1b}[2J\u{202e}f ".sanitised() == "a b c d e [2J f")
        #expect("\n".sanitised() == "")
    }

    @Test func aLineHasAtMostFiveHundredCharacters() {
        #expect(String(repeating: "é", count: 501).sanitised() == String(repeating: "é", count: 500))
        #expect(String(repeating: "x", count: 1_000_000).sanitised().count == 500)
    }

    @Test func signaturesAndKeysAreMasked() {
        #expect("SharedAccessSignature sr=a&sig=SECRET%3d refused".sanitised() == "••• refused")
        #expect("sr=a&\nsig=SECRET".sanitised() == "sr=a& •••")
    }

    @Test func aSignatureCutInTwoIsStillMasked() {
        let filler = String(repeating: "x", count: 480)
        let line = "\(filler) SharedAccessSignature sr=a&sig=SECRET".sanitised()
        #expect(line == "\(filler) •••")
        let far = (String(repeating: " ", count: 3990) + "sig=SECRET").sanitised()
        #expect(!far.contains("SEC"))
    }
}
