import Foundation
import Testing

@testable import PushModel

@Suite struct LocatedJSONTests {
    private func text(_ json: String) throws -> String? {
        guard case .text(let text) = try LocatedJSON(Array(json.utf8)).root else { return nil }
        return text
    }

    @Test(arguments: [
        #""""#, #""plain""#, #""a \" \\ \/ \b\f\n\r\t""#, #""\u00e9\u6F22""#, #""\ud83c\udfba""#, #"" 🎺 é ""#,
    ])
    func textsAreReadAsFoundationReadsThem(json: String) throws {
        let expected = try JSONDecoder().decode(String.self, from: Data(json.utf8))
        #expect(try text(json) == expected)
    }

    @Test(arguments: [#""\ud83c""#, #""\ud83cx""#, #""\ud83c\u0041""#, #""\udfba""#, #""\u12g4""#, #""\u12"#, "\"\t\""])
    func aBrokenTextIsRefused(json: String) {
        #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON(Array(json.utf8)) }
    }

    @Test func bytesThatAreNoUTF8AreRefused() {
        #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON([0x22, 0xFF, 0x22]) }
    }

    @Test(arguments: ["0", "-0", "12", "-1.5", "1e9", "1.25E-3"])
    func numbersAreKeptAsWritten(json: String) throws {
        guard case .number(let digits) = try LocatedJSON(Array(json.utf8)).root else {
            Issue.record("no number")
            return
        }
        #expect(digits == json)
    }

    @Test(arguments: ["+1", ".5", "1.", "1e", "NaN", "0x1", "--1"])
    func whatLooksLikeANumberIsRefused(json: String) {
        #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON(Array(json.utf8)) }
    }

    @Test func nestingHasAnEnd() throws {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        _ = try LocatedJSON(Array(deep(32).utf8))
        #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON(Array(deep(33).utf8)) }
        #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON(Array(deep(100_000).utf8)) }
    }

    @Test func aByteOrderMarkIsPassedOver() throws {
        let document = try LocatedJSON([0xEF, 0xBB, 0xBF] + Array("{\"a\": true}".utf8))
        guard case .object(let members) = document.root else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.place) == [LocatedJSON.Place(line: 1, column: 2)])
    }
}
