import Testing
import VectorSupport

@testable import PushModel

@Suite struct TagExpressionTests {
    struct File: Decodable {
        struct Evaluation: Decodable {
            var tags: [String]
            var match: Bool
        }
        struct Valid: Decodable, Sendable {
            var id: String
            var expression: String
            var tagCount: Int
            var onlyOr: Bool
            var evaluations: [Evaluation]
        }
        struct Invalid: Decodable {
            var id: String
            var expression: String
        }
        struct Limits: Decodable {
            var onlyOr: Int
            var otherwise: Int
        }
        var limits: Limits
        var valid: [Valid]
        var invalid: [Invalid]
    }
    static func file() throws -> File { try Vectors.read("tag_expressions") }

    @Test(arguments: try file().valid)
    func everyValidExpressionIsCountedAndEvaluated(vector: File.Valid) throws {
        let expression = try TagExpression(vector.expression)
        #expect(expression.tagCount == vector.tagCount)
        #expect(expression.onlyOr == vector.onlyOr)
        for evaluation in vector.evaluations {
            #expect(expression.matches(Set(evaluation.tags)) == evaluation.match, "\(evaluation.tags)")
            #expect(expression.matches(Set(evaluation.tags.map { $0.uppercased() })) == evaluation.match)
        }
    }

    @Test(arguments: try file().invalid.map(\.expression))
    func everyInvalidExpressionIsRefused(text: String) {
        #expect(throws: TagExpressionError.self) { try TagExpression(text) }
    }

    @Test func theLimitsAreTheDocumentedOnes() throws {
        #expect(try HubKind.notificationHubs.facts.tags == Self.file().limits.onlyOr)
        #expect(try HubKind.notificationHubs.facts.mixedTags == Self.file().limits.otherwise)
    }

    @Test(arguments: [
        ("World", "World"),
        (" a||b ", "a || b"),
        ("a || b && !c", "a || (b && !c)"),
        ("((a || (b || c)))", "a || b || c"),
        ("!(a&&b)", "!(a && b)"),
        ("(!(a)) &&  $UserId:{x=y}", "!a && $UserId:{x=y}"),
    ])
    func theDescriptionWritesEveryParenthesis(text: String, canonical: String) throws {
        #expect(try TagExpression(text).description == canonical)
    }

    @Test(arguments: [
        ("", 1, "it is empty, and a message without a tag would reach every device"),
        ("a & b", 3, "a single \"&\"; the operator is \"&&\""),
        ("a AND b", 3, "\"AND\" is not an operator; the operators are && || !"),
        ("a b", 3, "an operator (&& or ||) is missing"),
        ("a,b", 2, "\",\" does not join tags; write \"||\""),
        ("a ||", 5, "a tag is missing at the end"),
        ("|| a", 1, "a tag is missing before \"|\""),
        ("()", 2, "a tag is missing before \")\""),
        ("(a || b", 8, "\")\" is missing"),
        ("a)", 2, "\")\" without \"(\" before it"),
        ("\"a\"", 1, "a tag is written without quotation marks"),
        ("a || Wörld", 7, "\"ö\" is not allowed; a tag has ASCII letters, digits and _ @ # . : -"),
        (
            "a && b && c && d && e && f && g", 31,
            "it has 7 tags, at most 6 are allowed when && or ! is used"
        ),
    ])
    func anErrorNamesThePositionAndTheRule(text: String, position: Int, rule: String) {
        #expect { try TagExpression(text) } throws: {
            ($0 as? TagExpressionError) == TagExpressionError(at: position - 1, rule)
        }
    }

    @Test(arguments: ["(", "!", "!("])
    func hostileNestingIsRefusedAndNotFollowed(opening: String) {
        let short = String(repeating: opening, count: 40) + "a"
        let long = String(repeating: opening, count: 1_000_000) + "a"
        #expect { try TagExpression(short) } throws: { "\($0)".contains("nested deeper than 32") }
        #expect { try TagExpression(long) } throws: { "\($0)".contains("bytes, at most 4096") }
    }

    @Test func aDescriptionParsesToAnEqualExpression() throws {
        var random = SeededRandom(seed: 20)
        var seen = 0
        for _ in 0..<2_000 {
            let text = Self.expression(depth: 4, using: &random)
            guard let expression = try? TagExpression(text) else { continue }  // too many tags
            seen += 1
            let again = try TagExpression(expression.description)
            #expect(again == expression, "\(text)")
            #expect(again.tagCount == expression.tagCount)
            #expect(again.onlyOr == expression.onlyOr)
            for _ in 0..<4 {
                let tags = Set("abcdef".filter { _ in Bool.random(using: &random) }.map(String.init))
                #expect(again.matches(tags) == expression.matches(tags), "\(text)")
            }
        }
        #expect(seen > 500)
    }

    /// Found by the fuzzer: `!` nested 32 deep inside `&&` inside `||` parsed, but its description did not.
    @Test func aDescriptionParsesAgainAtTheDepthLimit() throws {
        let nots = String(repeating: "!", count: TagExpression.depthLimit)
        #expect { try TagExpression("\(nots)a && b || c") } throws: { "\($0)".contains("nested deeper than 32") }
        let deepest = try TagExpression("\(nots.dropFirst())a && b || c")
        #expect(try TagExpression(deepest.description) == deepest)
    }

    @Test(arguments: [
        ("a && !a", false, false), ("a || !a", true, true), ("!(a || !A)", false, false), ("a && b", true, false),
        ("!a", true, false), ("a || b", true, false), ("a", true, false), ("(a && !b) || (!a && b)", true, false),
        ("(a || b) && (!a && !b)", false, false), ("(a && b && c) || !a || !b || !c", true, true),
    ])
    func expressionsThatMatchNoneOrAllAreRecognised(text: String, canMatch: Bool, alwaysMatches: Bool) throws {
        let expression = try TagExpression(text)
        #expect(expression.canMatch == canMatch)
        #expect(expression.alwaysMatches == alwaysMatches)
    }

    @Test func itsTagsAreListedOnce() throws {
        #expect(try TagExpression("b && (A || !a) && $UserId:{x}").tags.map(\.text) == ["b", "A", "$UserId:{x}"])
    }

    private static func expression(depth: Int, using random: inout SeededRandom) -> String {
        let space = ["", " "].randomElement(using: &random)!
        func inner() -> String { expression(depth: depth - 1, using: &random) }
        return switch depth == 0 ? 0 : Int.random(in: 0...4, using: &random) {
        case 1: "!" + space + inner()
        case 2: "(" + space + inner() + ")"
        case 3: inner() + space + "||" + space + inner()
        case 4: inner() + space + "&&" + inner()
        default: String("abcdef".randomElement(using: &random)!)
        }
    }

    @Test func noTextCrashesTheParser() {
        var random = SeededRandom(seed: 99)
        let alphabet = Array("ab!&|()$ {}:=UserId\"é\u{0}")
        for _ in 0..<20_000 {
            let text = random.text(of: alphabet, upTo: 24)
            do throws(TagExpressionError) {
                let expression = try TagExpression(text)
                #expect(expression.tagCount > 0)
            } catch {
                #expect((1...text.utf8.count + 1).contains(error.position))
            }
        }
    }
}
