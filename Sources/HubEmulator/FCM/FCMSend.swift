import PushModel

/// A send to FCM that passed all its checks (docs/wire/fcm-apns.md, "FCM v1 messages").
struct FCMSend: Sendable {
    enum Target: Sendable, Equatable {
        /// A registration token; or `fid:…`, an installation's id.
        case handle(String)
        /// One topic or several.
        case topics(FCMCondition)
    }

    let target: Target
    /// As the journal shows it: the topic or the condition; nil: a handle.
    let topics: String?
    /// `{"message":{…}}` without the target.
    let payload: String
    /// Bytes that count for the limit.
    let size: Int
    /// `validate_only`: everything is checked and nothing delivered.
    let isTrial: Bool

    /// - Throws: 400 with the field at fault; the texts are ours where Google's are not known.
    init(_ body: [UInt8]) throws(FCMError) {
        let root: JSONNode
        do throws(JSONError) {
            root = try JSONNode(body)
        } catch {
            throw .invalid(
                "", "Invalid JSON payload received: \(error.rule) at character \(error.position).",
                message: "Invalid JSON payload received.")
        }
        guard case .object(let members) = root.value else {
            throw .invalid("", "The body is no JSON object.")
        }
        var message: JSONNode?
        var isTrial = false
        for member in members {
            switch member.name {
            case "message": message = member.node
            case "validate_only", "validateOnly":
                guard case .bool(let flag) = member.node.value else {
                    throw .invalid(member.name, "\(member.name) is true or false.")
                }
                isTrial = flag
            default:
                throw .invalid(
                    "", "Invalid JSON payload received. Unknown name \(member.name.quoted): Cannot find field.")
            }
        }
        guard let message else { throw .invalid("message", "The message is not set.") }
        let content = TargetedMessage(message, in: body)
        (target, topics) = try Self.target(content)
        if let fault = content.fault {
            throw .invalid(
                fault.path.isEmpty ? "message" : fault.path,
                (fault.path.isEmpty ? "The message" : fault.path) + " \(fault.wrong). \(fault.hint)")
        }
        payload = content.payload
        size = content.size
        self.isTrial = isTrial
    }

    /// What FCM calls the target's field.
    static func field(of handle: String) -> String { handle.hasPrefix(fid) ? "message.fid" : "message.token" }

    private static let fid = "fid:"

    private static func target(_ content: TargetedMessage) throws(FCMError) -> (Target, topics: String?) {
        guard let first = content.targets.first else {
            throw .invalid("message", "Recipient of the message is not set.")
        }
        if let second = content.targets.dropFirst().first {
            throw .invalid(
                "message", "Invalid value (oneof), oneof field 'target' is already set. Cannot set '\(second.name)'")
        }
        let field = "message.\(first.name)"
        guard case .string(let text) = first.value else { throw .invalid(field, "\(field) is no string.") }
        switch first.name {
        case "topic":
            // FCM takes the form of its older interface, too.
            let name = text.hasPrefix("/topics/") ? String(text.dropFirst("/topics/".count)) : text
            guard FCMTopic.isValid(name) else {
                throw .invalid(
                    field, "Invalid topic name: it has letters, digits, -, _, ., ~ and %.")
            }
            return (.topics(FCMCondition(topic: name)), name)
        case "condition":
            do throws(FCMCondition.Fault) {
                return (.topics(try FCMCondition(text)), text)
            } catch {
                throw .invalid(field, "Invalid condition expression provided: \(error).")
            }
        default:
            guard RegistrationToken.isValid(text) else { throw TokenRule.notAToken(field) }
            return (.handle(first.name == "fid" ? fid + text : text), nil)
        }
    }
}
