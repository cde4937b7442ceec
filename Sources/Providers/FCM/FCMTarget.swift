import PushModel

/// Whom one request to FCM reaches: exactly one of these (docs/wire/fcm-apns.md, "Target").
enum FCMTarget: Equatable {
    case token(String)
    /// A Firebase installation id: a handle `fid:…`.
    case installation(String)
    case topic(String)
    case condition(String)

    /// - Parameter broadcastTopic: the topic that stands for every device; nil: there is none.
    init(_ target: Target, broadcastTopic: String?) throws(InvalidPost) {
        switch target {
        case .handles(let handles):
            guard handles.count == 1 else { throw .severalHandles(handles.count) }
            let handle = handles[0]
            guard Target.isHandle(handle) else { throw .handle }
            guard handle.hasPrefix("fid:") else {
                self = .token(handle)
                return
            }
            let id = handle.dropFirst(4)
            guard !id.isEmpty else { throw .handle }
            self = .installation(String(id))
        case .tag(let text):
            if Topic.isTopic(text) {
                self = .topic(text)
                return
            }
            do throws(TagExpressionError) {
                self = .condition(try TopicCondition(text).condition)
            } catch {
                throw .condition(error)
            }
        case .broadcast:
            guard let broadcastTopic else { throw .noBroadcastTopic }
            self = .topic(broadcastTopic)
        }
    }

    /// Writes `"token":"…"`.
    func append(to body: inout [UInt8]) {
        var (name, value): (StaticString, String) =
            switch self {
            case .token(let token): ("\"token\":\"", token)
            case .installation(let id): ("\"fid\":\"", id)
            case .topic(let topic): ("\"topic\":\"", topic)
            case .condition(let condition): ("\"condition\":\"", condition)
            }
        body.append(name)
        value.withUTF8 { bytes in
            // Every target is visible ASCII, in nearly all of them nothing has to be escaped.
            if bytes.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
                for byte in bytes {
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { body.append(UInt8(ascii: "\\")) }
                    body.append(byte)
                }
            } else {
                body.append(contentsOf: bytes)
            }
        }
        body.append(UInt8(ascii: "\""))
    }
}

extension [UInt8] {
    mutating func append(_ text: StaticString) { append(contentsOf: text.utf8Bytes) }
}

extension StaticString {
    fileprivate var utf8Bytes: UnsafeBufferPointer<UInt8> {
        // A literal lives as long as the program.
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
