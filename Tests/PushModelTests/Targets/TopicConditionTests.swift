import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Facts in Vectors/fcm-apns/fcm-conditions.json.
@Suite struct TopicConditionTests {
    @Test(arguments: [
        ("a", "'a' in topics"),
        ("a && b", "'a' in topics && 'b' in topics"),
        ("a || b && !c", "'a' in topics || ('b' in topics && !('c' in topics))"),
        ("(a || b) && !c", "('a' in topics || 'b' in topics) && !('c' in topics)"),
        ("!(a || b)", "!('a' in topics || 'b' in topics)"),
        ("!!a", "!(!('a' in topics))"),
        ("((a))&&b&&c&&d&&e", "'a' in topics && 'b' in topics && 'c' in topics && 'd' in topics && 'e' in topics"),
        ("(news-%20~x.y_z) && locale_fr", "'news-%20~x.y_z' in topics && 'locale_fr' in topics"),
    ])
    func aTagExpressionBecomesAConditionWithEveryParenthesis(expression: String, condition: String) throws {
        let read = try TopicCondition(expression)
        #expect(read.condition == condition)
        #expect(try TopicCondition(read.description) == read)
    }

    @Test func everyValidConditionCanBeWrittenAsAnExpression() throws {
        let valid = try #require(try Vectors.object("fcm-apns/fcm-conditions")["valid"] as? [String])
        for condition in valid {
            let read = try TopicCondition(Self.expression(condition))
            #expect(read.condition == condition)
        }
    }

    @Test func whatIsInvalidAsAConditionIsInvalidAsAnExpression() throws {
        for entry in try Vectors.objects("fcm-apns/fcm-conditions", "invalid") {
            let condition = try #require(entry["condition"] as? String)
            // Of the words around a topic an expression has none.
            if ["'a' in topic", "'a'"].contains(condition) { continue }
            #expect(throws: TagExpressionError.self, "\(condition)") { try TopicCondition(Self.expression(condition)) }
        }
    }

    private static func expression(_ condition: String) -> String {
        condition.replacing(" in topics", with: "").replacing("'", with: "")
    }

    @Test(arguments: [
        ("lang:fr", "\"lang:fr\" is not a topic of FCM; lang_fr is one"),
        ("a || #b", "\"#b\" is not a topic of FCM; _b is one"),
        ("user@home && !x", "\"user@home\" is not a topic of FCM; user_home is one"),
        ("a || b || c || d || e || f", "it has 6 topics, at most 5 are allowed"),
        ("a b", "an operator (&& or ||) is missing"),
        ("é", "\"é\" is not allowed; a topic of FCM has ASCII letters, digits and - _ . ~ %"),
        ("/topics/Tech", "\"/topics/Tech\" is not a topic of FCM; Tech is one"),
        ("a || /topics/Tech && b", "\"/topics/Tech\" is not a topic of FCM; Tech is one"),
        ("/topics/", "\"/\" is not allowed; a topic of FCM has ASCII letters, digits and - _ . ~ %"),
        ("$UserId:{x}", "\"$\" is not allowed; a topic of FCM has ASCII letters, digits and - _ . ~ %"),
        ("", "it is empty, and a message without a tag would reach every device"),
    ])
    func aRefusalNamesTheRule(expression: String, rule: String) {
        #expect { try TopicCondition(expression) } throws: { ($0 as? TagExpressionError)?.rule == rule }
    }

    @Test func topicsCompareWithCase() throws {
        let condition = try TopicCondition("Tech && !tech")
        #expect(condition.matches(["Tech"]))
        #expect(!condition.matches(["tech"]))
        #expect(try TopicCondition("Tech") != TopicCondition("tech"))
    }
}
