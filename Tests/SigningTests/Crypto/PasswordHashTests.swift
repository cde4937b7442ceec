import Testing

@testable import Signing

@Suite struct PasswordHashTests {
    /// RFC 7914, section 12: all but the last, which needs 1 GiB.
    @Test(arguments: [
        (
            "", "", PasswordHash.Cost(ln: 4, r: 1, p: 1),
            """
            77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
            fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
            """
        ),
        (
            "password", "NaCl", PasswordHash.Cost(ln: 10, r: 8, p: 16),
            """
            fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
            2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
            """
        ),
        (
            "pleaseletmein", "SodiumChloride", PasswordHash.Cost(ln: 14, r: 8, p: 1),
            """
            7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
            d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
            """
        ),
    ])
    func publishedAnswersMatch(password: String, salt: String, cost: PasswordHash.Cost, answer: String) {
        let hash = Scrypt.hash(of: Array(password.utf8), salt: Array(salt.utf8), cost: cost, bytes: 64)
        #expect(hash.map(Hex.text) == answer)
    }

    /// Written by npm's `@phc/scrypt` (its README) and passlib (its documentation of `passlib.hash.scrypt`).
    @Test(arguments: [
        "$scrypt$ln=15,r=8,p=1$D/EEcdfcBkj4DQB3zlfsFQ$v9Xsag5AySIY78DFKslBzeRXCUfsLKCZ0Xm4Xwoh+J0",
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E",
    ])
    func hashesOfOthersAreRead(text: String) throws {
        let hash = try #require(PasswordHash(text))
        #expect(hash.matches("password"))
        #expect(!hash.matches("Password"))
        #expect(hash.text == text)
    }

    @Test func aHashMatchesItsPasswordAlone() throws {
        let hash = PasswordHash.make(of: "correct horse", cost: .cheap)
        #expect(hash.matches("correct horse"))
        for other in ["", "correct hors", "correct horse ", "Correct horse", "correct\u{0}horse"] {
            #expect(!hash.matches(other))
        }
        let read = try #require(PasswordHash(hash.text))
        #expect(read == hash && read.matches("correct horse"))
    }

    @Test func aZeroByteDoesNotEndAPassword() {
        #expect(!PasswordHash.make(of: "left\u{0}right", cost: .cheap).matches("left"))
    }

    @Test func everyHashHasItsOwnSalt() {
        let texts = (0..<20).map { _ in PasswordHash.make(of: "the same", cost: .cheap).text }
        #expect(Set(texts).count == 20)
    }

    /// The default is what `fanfare console password` makes.
    @Test func theUsualCostIsWritten() {
        let text = PasswordHash.make(of: "correct horse").text
        #expect(text.hasPrefix("$scrypt$ln=15,r=8,p=3$"))
        #expect(PasswordHash(text)?.matches("correct horse") == true)
    }

    /// RFC 8265, section 4.2.1.
    @Test(arguments: [
        ("Åse", "A\u{30A}se"), ("\u{212B}se", "\u{C5}se"), ("one\u{A0}two", "one two"), ("one\u{3000}two", "one two"),
    ])
    func howAPasswordWasTypedDoesNotMatter(one: String, other: String) {
        #expect(PasswordHash.make(of: one, cost: .cheap).matches(other))
    }

    /// Compatibility forms and case stay apart (RFC 8265, section 4.2.1).
    @Test(arguments: [("ﬁne", "fine"), ("pass", "PASS"), ("Ⅳ", "IV"), ("straße", "strasse")])
    func whatOnlyLooksTheSameIsAnotherPassword(one: String, other: String) {
        #expect(!PasswordHash.make(of: one, cost: .cheap).matches(other))
    }

    @Test func aPasswordThatIsTooLongIsNotHashed() {
        let longest = String(repeating: "x", count: PasswordHash.longestPassword)
        let hash = PasswordHash.make(of: longest, cost: .cheap)
        #expect(hash.matches(longest))
        #expect(!hash.matches(longest + "x"))
    }

    private static let salt = "aM15713r3Xsvxbi31lqr1Q"
    private static let hash = "nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E"

    @Test(arguments: [
        "", "$", "$$$$", "correct horse", "scrypt$ln=15,r=8,p=1$\(salt)$\(hash)", "$scrypt$ln=15,r=8,p=1$\(salt)$",
        "$scrypt$ln=15,r=8,p=1$\(salt)", "$scrypt$ln=15,r=8,p=1$\(salt)$\(hash)$", "$scrypt$ln=15,r=8$\(salt)$\(hash)",
        "$scrypt$r=8,ln=15,p=1$\(salt)$\(hash)", "$scrypt$ln=15,r=8,p=1,x=1$\(salt)$\(hash)",
        "$scrypt$ln=+5,r=8,p=1$\(salt)$\(hash)", "$scrypt$ln=015,r=8,p=1$\(salt)$\(hash)",
        "$scrypt$ln=1५,r=8,p=1$\(salt)$\(hash)", "$scrypt$ln=-1,r=8,p=1$\(salt)$\(hash)",
        "$scrypt$ln=15,r=8,p=1$\(salt)==$\(hash)", "$scrypt$ln=15,r=8,p=1$\(salt)$\(hash)=",
        "$scrypt$ln=15,r=8,p=1$\(salt)$\(hash)\n", "$scrypt$ln=15,r=8,p=1$AAAA$\(hash)",
        "$scrypt$ln=15,r=8,p=1$\(salt)$AAAA", "$argon2id$v=19$m=65536,t=3,p=4$\(salt)$\(hash)",
        "$scrypt$ln=15,r=8,p=1$\(salt)$" + String(repeating: "A", count: 1 << 20),
    ])
    func anotherTextIsNoHash(text: String) {
        #expect(PasswordHash(text) == nil)
    }

    @Test(arguments: [
        "ln=18,r=8,p=1", "ln=20,r=8,p=1", "ln=63,r=8,p=1", "ln=64,r=8,p=1", "ln=99,r=99,p=99", "ln=15,r=33,p=1",
        "ln=15,r=8,p=33", "ln=17,r=8,p=5", "ln=1,r=1073741823,p=1", "ln=16,r=1,p=1", "ln=0,r=8,p=1", "ln=15,r=0,p=1",
        "ln=15,r=8,p=0", "ln=99999999999999999999,r=8,p=1",
    ])
    func aCostThatCouldStopTheConsoleIsRefused(cost: String) {
        #expect(PasswordHash("$scrypt$\(cost)$\(Self.salt)$\(Self.hash)") == nil)
    }

    @Test(arguments: ["ln=17,r=8,p=1", "ln=17,r=8,p=4", "ln=1,r=1,p=1", "ln=15,r=32,p=4"])
    func aCostAtTheBoundIsTaken(cost: String) {
        #expect(PasswordHash("$scrypt$\(cost)$\(Self.salt)$\(Self.hash)")?.cost.description == cost)
    }

    @Test func aHashDoesNotPrint() {
        let hash = PasswordHash.make(of: "correct horse", cost: .cheap)
        var printed = "\(hash) \(String(reflecting: hash)) \([hash])"
        dump(["hash": hash], to: &printed)
        #expect(printed.contains("•••"))
        #expect(!printed.contains("scrypt") && !printed.contains(hash.text.suffix(20)))
    }
}
