import Foundation
import Testing

@testable import Signing

@Suite struct Base64Tests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func publishedAnswersMatchBothWays(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test func everyByteSurvives() {
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(($0 * 7 + count) & 255) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Zg", "Zg=", "Zg==\n", "Z===", "====", "=Zg=", "Zg-_", "Zh==", "Zm9=", "Zm 9v", "Zgé="])
    func nonCanonicalTextIsRefused(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    /// RFC 4648 section 5, without padding as RFC 7515 has it.
    @Test func theFormOfURLsHasNoPadding() {
        #expect(Base64.encodeURL([0xFB, 0xFF, 0xFE, 0xFF]) == "-__-_w")
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(($0 * 31 + count) & 255) }
            #expect(Base64.decodeURL(Base64.encodeURL(bytes)) == bytes)
        }
    }

    @Test(arguments: ["Zg==", "A", "-+", "a/b", "Zh", "Zm9v\n", "Zgé"])
    func textThatIsNotInTheFormOfURLsIsRefused(text: String) {
        #expect(Base64.decodeURL(text) == nil)
    }
}
