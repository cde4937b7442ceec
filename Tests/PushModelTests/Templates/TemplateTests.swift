import Foundation
import Testing
import VectorSupport

@testable import PushModel

@Suite struct TemplateTests {
    /// A value of the vectors, compared as JSON and not as text.
    enum Expected: Decodable, Equatable, Sendable {
        case text(String)
        case number(Double)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {  // the error does not matter: it is a text
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }

        init(_ value: TemplateExpression.Value) throws {
            switch value {
            case .text(let text): self = .text(text)
            case .number(let text): self = .number(try #require(Double(text)))
            }
        }
    }

    struct File: Decodable {
        struct Expression: Decodable, Sendable {
            var id: String
            var expression: String
            var properties: [String: String]
            var expect: Expected
        }
        struct Invalid: Decodable, Sendable {
            var id: String
            var expression: String
        }
        struct Document: Decodable, Sendable {
            var id: String
            var template: String
            var properties: [String: String]
        }
        var expressions: [Expression]
        var invalid: [Invalid]
        var documents: [Document]
    }

    // Keys of documents and properties are data and are not renamed; `expected` reads the documents as raw JSON.
    static func file() throws -> File { try Vectors.read("templates", areKeysNames: false) }

    @Test(arguments: try file().expressions)
    func everyExpressionRendersAsTheVectorsSay(vector: File.Expression) throws {
        let value = try TemplateExpression(vector.expression).evaluate(vector.properties)
        #expect(try Expected(value) == vector.expect)
    }

    @Test(arguments: try file().expressions)
    func anExpressionRendersTheSameInsideADocument(vector: File.Expression) throws {
        let value = String(decoding: try JSONEncoder().encode(vector.expression), as: UTF8.self)
        let text = try Template(json: "{\"a\":[\(value)]}").render(vector.properties)
        let document = try JSONDecoder().decode([String: [Expected]].self, from: Data(text.utf8))
        #expect(document == ["a": [vector.expect]])
    }

    @Test(arguments: try file().invalid)
    func everyInvalidExpressionIsRefused(vector: File.Invalid) throws {
        #expect(throws: TemplateError.self) { try TemplateExpression(vector.expression) }
        let value = String(decoding: try JSONEncoder().encode(vector.expression), as: UTF8.self)
        #expect { try Template(json: "{\"aps\":{\"alert\":\(value)}}") } throws: {
            ($0 as? TemplateError)?.path == "aps.alert"
        }
    }

    @Test(arguments: try file().documents)
    func everyDocumentRendersAsTheVectorsSay(vector: File.Document) throws {
        let text = try Template(json: vector.template).render(vector.properties)
        let rendered = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
        #expect(try rendered == Self.expected(vector.id))
    }

    private static func expected(_ id: String) throws -> NSDictionary? {
        try Vectors.objects("templates", "documents").first { $0["id"] as? String == id }?["expect"] as? NSDictionary
    }

    @Test func aDocumentKeepsItsOrderNumbersAndWhiteSpace() throws {
        let template = try Template(json: "{ \"z\": 1.50, \"a\" : [\"$(m)\", true, null],\n\"m\": \"Hi $(m)\" }")
        #expect(template.render(["m": "x"]) == "{ \"z\": 1.50, \"a\" : [\"x\", true, null],\n\"m\": \"Hi $(m)\" }")
    }

    @Test func aValueCannotAddStructure() throws {
        let template = try Template(json: ##"{"a":"$(m)","n":"#(m)"}"##)
        let value = "\",\"admin\":true,\"\\\u{1}"
        let text = template.render(["m": value])
        let parsed = try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        #expect(parsed == ["a": value, "n": value])
    }

    @Test func aNumberIsWrittenWithoutQuotationMarks() throws {
        let template = try Template(json: ##"{"badge":"#(n)"}"##)
        #expect(template.render(["n": "40"]) == #"{"badge":40}"#)
        #expect(template.render(["n": "-1"]) == #"{"badge":"-1"}"#)
        #expect(template.render(["n": "1e"]) == #"{"badge":"1e"}"#)
        #expect(template.render(["n": ""]) == #"{"badge":""}"#)
    }

    @Test(arguments: [
        (".(t, 5)", "abcdef", "ab..."),
        (".(t, 6)", "abcdef", "abcdef"),
        (".(t, 2)", "abcdef", ".."),
        (".(t, 0)", "abcdef", ""),
        ("$(t, 3)", "a😀b", "a😀"),
        ("$(t, 2)", "a😀b", "a"),
        ("{'it''s ' + $(t)}", "x", "it's x"),
        ("{ \"a\"+'b' }", "x", "ab"),
        ("%(t:{b c})", nil, "b%20c"),
        ("#(t:{7})", nil, "7"),
        ("$(t:{d})", "", ""),
    ])
    func cutsAndDefaults(text: String, value: String?, rendered: String) throws {
        let properties = value.map { ["t": $0] } ?? [:]
        #expect(try TemplateExpression(text).evaluate(properties).text == rendered)
    }

    @Test func theExactNameWinsOverOtherCase() throws {
        let expression = try TemplateExpression("$(title)")
        #expect(expression.evaluate(["Title": "a", "title": "b", "TITLE": "c"]).text == "b")
        #expect(expression.evaluate(["Title": "a", "TITLE": "c"]).text == "c")
    }

    @Test func aTemplateNamesThePropertiesItUses() throws {
        let template = try Template(json: #"{"a":"{$(title) + .(Body, 9)}","b":["$(TITLE)","x $(no)","%(url:{u})"]}"#)
        #expect(template.propertyNames == ["title", "Body", "url"])
    }

    @Test(arguments: [
        ("{\"a\":\"$(x\"}", "a: character 4: \")\" is missing"),
        ("{\"a\":{\"b\":[1,\"$5 off\"]}}", "a.b[1]: character 2: \"(\" is missing after \"$\""),
        ("[]", "character 1: it must be a JSON object, in { }"),
        ("{\"a\":1} x", "character 9: something follows the end of the object"),
        ("{\"é\":\"\\ud800\"}", "é: character 7: half a surrogate pair"),
        (
            "{\"a\":\"$(a) and more\"}",
            "a: character 5: text follows the expression; parts are joined as {$(a) + 'text'}"
        ),
        ("{\"a\":\"{#(n) + 'x'}\"}", "a: character 2: #() cannot stand inside { }"),
        ("{\"a\":\".(n)\"}", "a: character 5: .() needs a length: .(name, 20)"),
        ("{\"a\":01}", "a: character 8: a number starts with 0"),
    ])
    func anErrorNamesTheValueThePositionAndTheRule(json: String, text: String) {
        #expect { try Template(json: json) } throws: { "\($0)" == text }
    }

    @Test func hostileNestingIsRefusedAndNotFollowed() {
        let json = "{\"a\":" + String(repeating: "[", count: 1_000_000)
        #expect { try Template(json: json) } throws: { "\($0)".contains("nested deeper than 64") }
    }

    @Test func noTextCrashesTheParsers() {
        var random = SeededRandom(seed: 5)
        let alphabet = Array("$.%#{}()'\"+:,\\ ab1é\u{301}")
        for _ in 0..<20_000 {
            let text = random.text(of: alphabet, upTo: 20)
            do throws(TemplateError) {
                _ = try TemplateExpression(text).evaluate(["a": "x"])
            } catch {
                #expect((1...text.unicodeScalars.count + 1).contains(error.position), "\(text)")
            }
        }
        let json = Array("{}[]\":,\\u0dDe+-.truefalsn \n$(a)")
        for _ in 0..<20_000 {
            let text = "{\"a\":" + random.text(of: json, upTo: 16)
            guard let template = try? Template(json: text) else { continue }  // most texts are not JSON
            let rendered = template.render(["a": "\""])
            #expect((try? JSONSerialization.jsonObject(with: Data(rendered.utf8))) != nil, "\(rendered)")
        }
    }
}
