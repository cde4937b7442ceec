import Testing

@testable import PushModel

@Suite struct JSONNodeTests {
    @Test func aNodeKnowsItsBytes() throws {
        let text = Array(#" {"a" : [1.50, {"é": "x\n"}], "a": null} "#.utf8)
        guard case .object(let members) = try JSONNode(text).value else { return #expect(Bool(false), "no object") }
        let written = members.map { String(decoding: text[$0.node.range], as: UTF8.self) }
        #expect(members.map(\.name) == ["a", "a"])
        #expect(written == [#"[1.50, {"é": "x\n"}]"#, "null"])
        #expect(members.map(\.start) == [2, 31])
    }

    @Test func valuesAreDecodedAndNumbersKept() throws {
        #expect(try JSONNode(Array(#""\u00e9\ud83d\ude00""#.utf8)).value == .string("é😀"))
        #expect(try JSONNode(Array("-1.50E+3".utf8)).value == .number("-1.50E+3"))
        #expect(try JSONNode(Array("true".utf8)).value == .bool(true))
        #expect(try JSONNode(Array("false".utf8)).value == .bool(false))
    }

    @Test(arguments: ["[", "{\"a\":"])
    func nestingIsLimited(opening: String) throws {
        let close = opening == "[" ? "]" : "}"
        func text(_ depth: Int) -> [UInt8] {
            Array((String(repeating: opening, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        #expect(throws: Never.self) { try JSONNode(text(64)) }
        #expect(throws: JSONError.self) { try JSONNode(text(65)) }
        #expect(throws: JSONError.self) { try JSONNode(text(100_000)) }
        #expect(throws: Never.self) { try JSONNode(text(512), depthLimit: 512) }
    }

    @Test(arguments: [
        (#"{"a":{"b":[1,tru]}}"#, "a.b[1]", 14), (#"[[1,2],[3,"#, "[1][1]", 11), (#"{"a":1,}"#, "", 8),
        ("nul", "", 1), ("1 2", "", 3), ("\"\u{7}\"", "", 2),
    ])
    func anErrorNamesThePathAndThePosition(text: String, path: String, position: Int) {
        let error = #expect(throws: JSONError.self) { try JSONNode(Array(text.utf8)) }
        #expect(error?.path == path)
        #expect(error?.position == position)
    }
}
