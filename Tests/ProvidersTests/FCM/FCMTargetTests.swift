import PushModel
import Testing

@testable import Providers

@Suite struct FCMTargetTests {
    private func target(_ target: Target, broadcastTopic: String? = nil) -> Result<FCMTarget, InvalidPost> {
        Result { () throws(InvalidPost) in try FCMTarget(target, broadcastTopic: broadcastTopic) }
    }

    @Test func oneHandleIsATokenOrAnInstallation() {
        #expect(target(.handles(["a:b-c_d"])) == .success(.token("a:b-c_d")))
        #expect(target(.handles(["fid:c8xyz"])) == .success(.installation("c8xyz")))
        #expect(target(.handles(["fid:"])) == .failure(.handle))
        #expect(target(.handles(["a", "b"])) == .failure(.severalHandles(2)))
        #expect(target(.handles([])) == .failure(.severalHandles(0)))
    }

    @Test(arguments: ["", "a b", "a\nb", "é", String(repeating: "a", count: 4_097)])
    func aHandleIsVisibleASCII(handle: String) {
        #expect(target(.handles([handle])) == .failure(.handle))
    }

    @Test(arguments: ["Tech", "news-%20~x.y_z", "a", "%%"])
    func aPlainTagIsATopicInItsOwnCase(tag: String) {
        #expect(target(.tag(tag)) == .success(.topic(tag)))
    }

    @Test(arguments: [
        ("a || b && !c", "'a' in topics || ('b' in topics && !('c' in topics))"), ("!a", "!('a' in topics)"),
        ("a || b || c", "'a' in topics || 'b' in topics || 'c' in topics"),
        ("(a || B) && c", "('a' in topics || 'B' in topics) && 'c' in topics"),
    ])
    func anExpressionIsACondition(tag: String, condition: String) {
        #expect(target(.tag(tag)) == .success(.condition(condition)))
    }

    @Test(arguments: ["", " ", "a b", "a &&", "a || b || c || d || e || f", "'a' in topics"])
    func whatIsNeitherIsTheTagsFault(tag: String) throws {
        guard case .failure(let error) = target(.tag(tag)) else { return #expect(Bool(false), "\(tag)") }
        #expect(error.description.hasPrefix("tag: character "))
        guard case .targetInvalid = error.verdict else { return #expect(Bool(false), "\(error.verdict)") }
    }

    @Test func aBroadcastGoesToItsTopic() {
        #expect(target(.broadcast, broadcastTopic: "all") == .success(.topic("all")))
        #expect(target(.broadcast) == .failure(.noBroadcastTopic))
    }
}
