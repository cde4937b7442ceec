import PushModel
import Testing

@testable import HubEmulator

/// The texts of an app by language and key.
@Suite struct StringsFileTests {
    private func read(_ json: String) throws(EmulatorError) -> StringsFile {
        try StringsFile(json: Array(json.utf8), file: "app.json")
    }

    private func text(_ key: String, in language: String?, of json: String) throws -> String? {
        PhoneTexts(strings: try read(json), language: language).text(of: LocalisedText(key: key, arguments: ["Alice"]))
    }

    private static let both = #"{"en":{"k":"Welcome, %1$s!"},"fr":{"k":"Bienvenue, %1$s !"},"pt-BR":{"k":"Oi"}}"#

    @Test(arguments: [
        ("en", "Welcome, Alice!"), ("fr", "Bienvenue, Alice !"), ("fr-CA", "Bienvenue, Alice !"),
        ("FR_ca", "Bienvenue, Alice !"),
        ("pt_BR", "Oi"), ("pt", nil), ("de", nil), (nil, nil),
    ])
    func aPhoneFindsItsLanguageOrAWiderOne(language: String?, text: String?) throws {
        #expect(try self.text("k", in: language, of: Self.both) == text)
    }

    @Test func theDefaultServesAllOthers() throws {
        let json = #"{"default":{"k":"Hello"},"fr":{"other":"x"}}"#
        for language in ["fr", "de", nil] { #expect(try text("k", in: language, of: json) == "Hello") }
        #expect(try text("missing", in: "fr", of: json) == nil)
    }

    @Test(arguments: [
        ("", "app.json: line 1, column 1: expected"), ("[]", "app.json: it is no JSON object of languages"),
        (#"{"fr":{"k":"%q"}}"#, #"app.json: fr: "k": character 1: a % begins %s, %@, %d, %ld"#),
        ("{\n\"fr\":{\n\"k\":3}}", #"app.json: fr: "k": its value is no string (line 3)"#),
        (#"{"fr":{"k":"a","k":"b"}}"#, #"app.json: fr: "k": the key stands twice (line 1)"#),
        (#"{"fr":{},"FR":{}}"#, "app.json: FR: the language stands twice"),
        (#"{"fr":3}"#, "app.json: fr: it is no JSON object"),
        (#"{"x y":{}}"#, #"app.json: line 1: "x y" is no language"#),
        (#"{"fr":{"":"a"}}"#, "a key has 1 to 4096 bytes"),
        (#"{"fr":{"k":"a",}}"#, "app.json: line 1"),
    ])
    func anErrorNamesFileLanguageAndKey(json: String, says: String) throws {
        let error = try #require(throws: EmulatorError.self) { try read(json) }
        #expect(error.description.contains(says), "\(error)")
    }

    @Test func aFileIsBounded() {
        let long = String(repeating: "x", count: 5_000)
        #expect(throws: EmulatorError.self) { try read(#"{"fr":{"k":"\#(long)"}}"#) }
        #expect(throws: EmulatorError.self) {
            try StringsFile(json: Array(repeating: UInt8(ascii: " "), count: StringsFile.sizeLimit + 1), file: "f")
        }
        let languages = (0...500).map { "\"l\($0)\":{}" }.joined(separator: ",")
        #expect(throws: EmulatorError.self) { try read("{\(languages)}") }
    }

    @Test func aByteOrderMarkIsSkipped() throws {
        let plain = try read(Self.both)
        #expect(try read("\u{FEFF}" + Self.both) == plain)
    }

    @Test func aTextWithoutPlaceIsShownWithItsKey() {
        #expect(LocalisedText(key: "K", arguments: []).unresolved == "K")
        #expect(LocalisedText(key: "K", arguments: ["a", "b"]).unresolved == "K (a, b)")
    }
}
