import Foundation
import Testing
import VectorSupport

@testable import PushModel

@Suite struct StringObjectTests {
    struct File: Decodable {
        struct Invalid: Decodable {
            var body: String
            var reason: String
        }
        var maxRequestBytes: Int
        var invalid: [Invalid]
    }
    static func file() throws -> File { try Vectors.read("template_message_bodies") }

    @Test func everyValidBodyIsReadAsJSONReadsIt() throws {
        let texts = try Vectors.objects("template_message_bodies", "valid").map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
        }
        #expect(texts.count == 4)
        for text in texts {
            let object = try StringObject(text)
            let expected = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(Dictionary(uniqueKeysWithValues: object.pairs.map { ($0.name, $0.value) }) == expected)
            #expect(object.bytes == Array(text.utf8))
        }
    }

    @Test(arguments: try file().invalid.map(\.body))
    func everyInvalidBodyIsRefused(body: String) {
        #expect(throws: StringObjectError.self) { try StringObject(body) }
    }

    @Test func theBodyLimitIsTheDocumentedOne() throws {
        #expect(try HubKind.notificationHubs.facts.bodyBytes == Self.file().maxRequestBytes)
    }

    @Test(arguments: [
        (
            #"{"badge": 3}"#,
            "key \"badge\", character 11: the value is a number, only strings are allowed; put it in quotation marks"
        ),
        (#"{"é":null}"#, "key \"é\", character 6: the value is null, only strings are allowed; leave the property out"),
        (#"{"a":{}}"#, "key \"a\", character 6: the value is an object, only strings are allowed"),
        (#"{"a":[]}"#, "key \"a\", character 6: the value is an array, only strings are allowed"),
        (#"{"a":true}"#, "key \"a\", character 6: the value is true or false, only strings are allowed"),
        (#"{"a":"#, "key \"a\", character 6: the value is missing"),
        (#"["a"]"#, "character 1: it must be a JSON object, in { }"),
        ("", "character 1: it must be a JSON object, in { }"),
        (#"{"a":"x"} y"#, "character 11: something follows the end of the object"),
        (#"{"a":"x",}"#, "character 10: a name in quotation marks is missing"),
        (#"{"a" "x"}"#, "character 6: \":\" is missing after a name"),
        (#"{"a":"x" "b":"y"}"#, "character 10: \"}\" is missing after a value"),
        (#"{"a":"\ud83d"}"#, "character 7: half a surrogate pair"),
        (#"{"a":"\ude00\ud83d"}"#, "character 7: half a surrogate pair"),
        (#"{"a":"\q"}"#, "character 7: an unknown escape after \\"),
        (#"{"a":"\u12g4"}"#, "character 7: \\u is followed by four hexadecimal digits"),
        ("{\"a\":\"x\ny\"}", "character 8: a control character in a string must be escaped"),
        (#"{"a":"x"#, "character 8: a string is not closed"),
        (#"{"a":"x\"#, "character 8: a string is not closed"),
    ])
    func anErrorNamesTheKeyThePositionAndTheRule(json: String, text: String) {
        #expect { try StringObject(json) } throws: { "\($0)" == text }
    }

    /// As in PostgreSQL: SELECT '{"a":"x","a":"y"}'::json ->> 'a'.
    @Test(arguments: [
        (#"{"a":"x","a":"y"}"#, #"{"a":"y"}"#),
        (#"{"a":"x","b":"1","A":"y"}"#, #"{"b":"1","A":"y"}"#),
        (#"{"a":"x","\u0061":"y"}"#, #"{"\u0061":"y"}"#),
        (#"{ "a" : "x" , "a" : "" , "a" : "\"z" }"#, #"{"a":"\"z"}"#),
    ])
    func ofANameTheLastMemberCounts(json: String, kept: String) throws {
        let object = try StringObject(json)
        #expect(String(decoding: object.bytes, as: UTF8.self) == kept)
        #expect(object == (try StringObject(kept)))
    }

    @Test func aNameMayStandAmongManyAgain() throws {
        let members = (0..<40).map { "\"n\($0)\":\"\"" }
        #expect(try StringObject("{\(members.joined(separator: ","))}").count == 40)
        let object = try StringObject("{\((members + ["\"N7\":\"last\""]).joined(separator: ","))}")
        #expect(object.count == 40)
        #expect(object["n7"] == "last")
    }

    @Test func valuesAreDecodedOnRequest() throws {
        let object = try StringObject(#" { "T\u00e9l" : "\ud83d\ude00 \"\\\/\b\f\n\r\t\u0041" } "#)
        #expect(object.names == ["Tél"])
        #expect(object["tél"] == "😀 \"\\/\u{8}\u{c}\n\r\tA")
        #expect(object["tel"] == nil)
        #expect(Array(object.rawValue(0)) == Array(#"\ud83d\ude00 \"\\\/\b\f\n\r\t\u0041"#.utf8))
    }

    @Test func whatIsWrittenIsReadBackInOrder() throws {
        var random = SeededRandom(seed: 42)
        let alphabet = Array("ab\"\\/\n\r\t\u{0}\u{1f}\u{7f}é日😀{}[]:,")
        for _ in 0..<2_000 {
            var writer = StringObjectWriter()
            var expected: [String] = []
            for index in 0..<Int.random(in: 0...20, using: &random) {
                let name = "\(index)" + random.text(of: alphabet, upTo: 8)
                let value = random.text(of: alphabet, upTo: 12)
                writer.append(name, value)
                expected += [name, value]
            }
            let text = String(decoding: writer.finish(), as: UTF8.self)
            let object = try StringObject(text)
            #expect(object.pairs.flatMap { [$0.name, $0.value] } == expected)
            let foundation = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            #expect(foundation.count == object.count)
        }
    }

    @Test func noTextCrashesTheReaderAndWhatItTakesIsJSON() throws {
        var random = SeededRandom(seed: 3)
        let whole = Array(#"{"a\u00e9":"x\ud83d\ude00","b" : "\\","é":""}"#)
        let alphabet = Array("{}\":,\\ud83DeE0a1[]-. \nét")
        var taken = 0
        for _ in 0..<10_000 {
            var characters = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let at = Int.random(in: characters.indices, using: &random)
                let end = Bool.random(using: &random) ? at : at + 1
                characters.replaceSubrange(at..<end, with: random.text(of: alphabet, upTo: 2))
            }
            let text = String(characters)
            do throws(StringObjectError) {
                let object = try StringObject(text)
                taken += 1
                #expect(object.pairs.count == object.count)
                let foundation = try? JSONSerialization.jsonObject(with: Data(text.utf8))  // nil fails the test below
                #expect(foundation is [String: String], "\(text)")
            } catch {
                #expect((1...text.unicodeScalars.count + 1).contains(error.position), "\(text)")
            }
        }
        #expect(taken > 1_000)
    }
}
