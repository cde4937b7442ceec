/// The member `message` of a send to FCM: its targets, and what phones get of it, judged by the rules of the format `fcmv1`.
///
/// A row's content has no target, so those rules refuse one; here they look at the message without it.
package struct TargetedMessage {
    /// What names a target; exactly one of them stands in a message.
    package static let targetNames = ["token", "fid", "topic", "condition"]

    /// Why FCM refuses it.
    package struct Fault: Sendable, Equatable {
        /// `message.android.ttl`; empty: the whole.
        package let path: String
        /// Follows the path: `is not a duration`.
        package let wrong: String
        package let hint: String
    }

    /// In the order written.
    package let targets: [(name: String, value: JSONValue)]
    /// `{"message":{...}}` without targets: what a row of `push.message` holds.
    package let payload: String
    /// Bytes of the payload without white space, times to live and headers, which say how it is delivered and do not count;
    /// nor does an object of a platform that holds nothing else. So it is never more than the content of a row has.
    package let size: Int
    /// The first rule that it breaks; nil: none.
    package let fault: Fault?
    private let document: JSONValue

    /// - Parameters:
    ///   - message: the value of `message`.
    ///   - text: what it was read from.
    package init(_ message: JSONNode, in text: [UInt8]) {
        var targets: [(name: String, value: JSONValue)] = []
        var content = message
        var parts = [String(decoding: text[message.range], as: UTF8.self)]
        if case .object(let members) = message.value {
            targets = members.filter { Self.targetNames.contains($0.name) }.map { ($0.name, $0.node.value) }
            let rest = members.filter { !Self.targetNames.contains($0.name) }
            content = JSONNode(range: message.range, value: .object(rest))
            parts = rest.map { String(decoding: text[$0.start..<$0.node.range.upperBound], as: UTF8.self) }
            parts = ["{" + parts.joined(separator: ",") + "}"]
        }
        self.targets = targets
        payload = #"{"message":"# + parts.joined() + "}"
        document = .object([JSONValue.Member(name: "message", start: 0, node: content)])
        size = Self.size(of: document, at: [])
        fault = Self.fault(in: document, size: size)
    }

    /// Bytes that a payload may have.
    package static var sizeLimit: Int { PayloadRules.all.formats["fcmv1"]?.bytes ?? .max }

    private static func fault(in document: JSONValue, size: Int) -> Fault? {
        guard let format = PayloadRules.all.formats["fcmv1"] else { return nil }
        var context = PayloadContext(format: format)
        context.size = (size, sizeLimit)
        context.isJudgedByService = true
        return PayloadFault(in: document, rules: "fcmv1", context).map {
            Fault(path: $0.path, wrong: $0.wrong, hint: $0.hint)
        }
    }

    private static let uncounted = [
        ["message", "android", "ttl"], ["message", "apns", "headers"], ["message", "webpush", "headers"],
    ]

    private static func size(of value: JSONValue, at path: [String]) -> Int {
        switch value {
        case .object(let members):
            let sizes = members.compactMap { member -> Int? in
                let path = path + [member.name]
                if uncounted.contains(path) || path.count == 2 && isUncounted(member.node.value, at: path) {
                    return nil
                }
                return size(of: .string(member.name), at: []) + 1 + size(of: member.node.value, at: path)
            }
            return 2 + sizes.reduce(0, +) + max(0, sizes.count - 1)
        case .array(let elements):
            return 2 + elements.reduce(0) { $0 + size(of: $1.value, at: path + ["[]"]) } + max(0, elements.count - 1)
        case .string(let text):
            return text.utf8.reduce(2) {
                $0 + (isEscapedInTwo($1) ? 2 : $1 < 0x20 ? 6 : 1)
            }
        case .number(let text): return text.utf8.count
        case .bool(let flag): return flag ? 4 : 5
        case .null: return 4
        }
    }

    /// Whether the object of a platform has nothing that counts: what Fanfare adds for a row without one.
    private static func isUncounted(_ value: JSONValue, at path: [String]) -> Bool {
        guard case .object(let members) = value, uncounted.contains(where: { $0.starts(with: path) }) else {
            return false
        }
        return members.allSatisfy { uncounted.contains(path + [$0.name]) }
    }

    /// Quote, backslash, and the controls that have a short escape: `\b \t \n \f \r`.
    private static func isEscapedInTwo(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), 8, 9, 10, 12, 13: true
        default: false
        }
    }
}

extension PayloadRule {
    /// Whether only the phone minds: FCM passes on what it does not know inside `apns.payload`.
    var isForPhoneAlone: Bool {
        switch must {
        case .spelled, .notSpelled, .notMisspelt: at.starts(with: ["message", "apns", "payload"])
        default: false
        }
    }
}
