import Foundation
import PushModel

/// The body of a send to FCM from the page's form: the message as typed, and its target out of the field for tags.
enum FCMFormBody {
    /// - Parameters:
    ///   - content: `{"message": {…}}`.
    ///   - target: a topic, a condition, or a registration token; nil: the message has one itself.
    /// - Throws: `EmulatorError` for no target at all, and for content that no target can be put into.
    static func text(_ content: String, for target: String?) throws(EmulatorError) -> String {
        let bytes = Array(content.utf8)
        guard let root = try? JSONNode(bytes), case .object(let members) = root.value,
            let message = members.first(where: { $0.name == "message" })?.node, case .object(let parts) = message.value
        else { throw EmulatorError("The body is {\"message\": {...}}.") }
        guard let target else {
            if parts.contains(where: { TargetedMessage.targetNames.contains($0.name) }) { return content }
            throw EmulatorError("Give a topic, a condition, or the token of a phone.")
        }
        var field = "token"
        if (try? FCMCondition(target)) != nil {
            field = "condition"
        } else if FCMTopic.isValid(target) {
            field = "topic"
        }
        // Behind the opening brace of the message, which is where its range begins.
        let start = message.range.lowerBound + 1
        // A text always encodes.
        let value = (try? JSONEncoder().encode(target)) ?? Data("\"\"".utf8)
        let member = Array("\"\(field)\":".utf8) + value + (parts.isEmpty ? [] : [UInt8(ascii: ",")])
        return String(decoding: bytes[..<start] + member + bytes[start...], as: UTF8.self)
    }
}
