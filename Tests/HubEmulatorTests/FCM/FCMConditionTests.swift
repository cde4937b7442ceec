import Testing
import VectorSupport

@testable import HubEmulator

/// Conditions over topics (Tests/Vectors/fcm-apns/fcm-conditions.json).
@Suite struct FCMConditionTests {
    private struct Cases: Decodable {
        struct Invalid: Decodable { var condition: String }
        var valid: [String]
        var invalid: [Invalid]
    }

    private static let cases = try? Vectors.read("fcm-apns/fcm-conditions", as: Cases.self)

    @Test(arguments: cases?.valid ?? []) func aValidConditionIsRead(text: String) throws {
        let condition = try FCMCondition(text)
        #expect(condition.topics.count == text.split(separator: "in topics").count - (text.hasSuffix(")") ? 1 : 0))
    }

    @Test(arguments: (cases?.invalid ?? []).map(\.condition)) func anInvalidConditionIsRefused(text: String) {
        #expect(throws: FCMCondition.Fault.self) { try FCMCondition(text) }
    }

    @Test func allCasesAreThere() {
        #expect(Self.cases?.valid.count == 8 && Self.cases?.invalid.count == 8)
    }

    @Test(arguments: [
        ("'a' in topics", ["a"], true), ("'a' in topics", ["A"], false), ("!('a' in topics)", [], true),
        ("!'a' in topics", ["a"], false), ("'a' in topics && 'b' in topics", ["a"], false),
        ("'a' in topics||'b' in topics", ["b"], true),
        ("'a' in topics && ('b' in topics || 'c' in topics)", ["a", "c"], true),
        ("('a' in topics || 'b' in topics) && !('c' in topics)", ["b", "c"], false),
        // From left to right: (a || b) && c, not a || (b && c).
        ("'a' in topics || 'b' in topics && 'c' in topics", ["a"], false),
    ])
    func aConditionIsEvaluatedFromLeftToRight(text: String, topics: [String], matches: Bool) throws {
        #expect(try FCMCondition(text).matches(where: topics.contains) == matches)
    }

    @Test func missingParenthesesAreNoticed() throws {
        #expect(try FCMCondition("'a' in topics || 'b' in topics && 'c' in topics").isAmbiguous)
        #expect(try !FCMCondition("'a' in topics || ('b' in topics && 'c' in topics)").isAmbiguous)
        #expect(try !FCMCondition("'a' in topics && 'b' in topics && 'c' in topics").isAmbiguous)
    }

    @Test(arguments: [
        ("'a' in topics &", 15, "doubled"), ("'a' in topicsx", 8, "in topics"), ("'ä' in topics", 1, "no topic"),
        ("'a' in topics 'b' in topics", 15, "operator"), ("'a", 1, "closing quote"), ("(", 2, "single quotes"),
        (String(repeating: "(", count: 40) + "'a' in topics", 34, "deeper"),
        (String(repeating: "!", count: 10_000), 1, "bytes"),
    ])
    func aFaultNamesItsPlace(text: String, position: Int, rule: String) throws {
        let fault = try #require(throws: FCMCondition.Fault.self) { try FCMCondition(text) }
        #expect(fault.position == position && fault.rule.contains(rule), "\(fault)")
    }

    @Test(arguments: [("Tech", true), ("a-_.~%", true), ("", false), ("a b", false), ("ä", false), ("a:b", false)])
    func aTopicHasLettersDigitsAndFewMarks(name: String, isValid: Bool) {
        #expect(FCMTopic.isValid(name) == isValid)
        #expect(
            FCMTopic.isValid(String(repeating: "a", count: 900))
                && !FCMTopic.isValid(String(repeating: "a", count: 901)))
    }
}
