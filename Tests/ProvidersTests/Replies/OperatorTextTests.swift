import Testing

@testable import Providers

@Suite struct OperatorTextTests {
    @Test func everythingBecomesOneLine() {
        #expect(OperatorText.line(" a\r\n\tb\u{2028}c\u{0}d  e\u{1b}[2J\u{202e}f ") == "a b c d e [2J f")
        #expect(OperatorText.line("\n") == "")
    }

    @Test func aLineHasFiveHundredCharactersAtMost() {
        #expect(OperatorText.line(String(repeating: "é", count: 501)) == String(repeating: "é", count: 500))
        #expect(OperatorText.line(String(repeating: "x", count: 1_000_000)).count == 500)
    }

    @Test(arguments: [
        ("SharedAccessSignature sr=a&sig=SECRET%3d&se=1&skn=p refused", "••• refused"),
        ("sharedaccesssignature  se=1&sig=SECRET", "•••"), ("\"SharedAccessSignature sr=SECRET\",", "\"•••\","),
        ("SharedAccessSignature%20sr%3Da%26sig%3DSECRET", "•••"), ("?sr=a&sig=SECRET&se=1", "?sr=a&•••&se=1"),
        ("sr=a&\nsig=SECRET", "sr=a& •••"), ("SIG = SECRET.", "•••"), ("sig%3dSECRET", "•••"),
        ("&amp;sig=SECRET&amp;se=1", "&amp;•••&amp;se=1"),
        ("SharedAccessKeyName=p;SharedAccessKey=SECRET;x", "SharedAccessKeyName=p;•••;x"),
    ])
    func signaturesAndKeysAreTakenOut(text: String, line: String) {
        #expect(OperatorText.line(text) == line)
    }

    @Test func aSignatureCutInTwoIsStillTakenOut() {
        let filler = String(repeating: "x", count: 480)
        let line = OperatorText.line("\(filler) SharedAccessSignature sr=a&sig=SECRET")
        #expect(line == "\(filler) •••")
        let far = OperatorText.line(String(repeating: " ", count: 3990) + "sig=SECRET")
        #expect(!far.contains("SEC"))
    }

    /// As much as is ever looked at. A regular expression went back over all of it for each of its characters.
    @Test(arguments: ["+", "%20", "SharedAccessSignature+", "SharedAccessKey ", "sig ", "sig", "•"])
    func aLineMadeToBeSearchedOverAndOverIsReadInOneGo(piece: String) {
        let many = String(repeating: piece, count: 3900 / piece.count)
        for text in ["%\"SharedAccessSignature\(many)\"sig", "=\(many)\" sig=SECRET"] {
            #expect(!OperatorText.line(text, limit: 4000).contains("SECRET"))
        }
        #expect(OperatorText.line("sig = \(many)", limit: 4000).hasPrefix("•••"))
    }

    @Test(arguments: [
        ("sig=\u{301}SECRET", "•••"), ("SharedAccessSignature+++%20sr=SECRET'x", "•••'x"), ("sig=", "sig="),
        ("é sig=SECRET é", "é ••• é"),
        ("sig=SECRET,sig=SECRET;SharedAccessKey%3DSECRET", "•••,•••;•••"),
        ("SharedAccessKey = \"x", "SharedAccessKey = \"x"),
    ])
    func aSecretEndsWhereItsWordEnds(text: String, line: String) {
        #expect(OperatorText.line(text) == line)
    }

    @Test(arguments: [
        "InvalidSignature: The token has an invalid signature.", "SubCode=40900. Conflict",
        "The SharedAccessSignature is missing", "signature = none",
    ])
    func ordinaryWordsStay(text: String) {
        #expect(OperatorText.line(text) == text)
    }
}
