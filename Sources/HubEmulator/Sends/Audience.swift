import PushModel

/// The devices that one send is for.
enum Audience: Sendable {
    /// No tags header.
    case allDevices
    /// An empty tags header.
    case noDevices
    case tagged(TagExpression)
    /// A direct send: these handles, registered or not.
    case handles([String])
    /// At a sender of FCM: the phones whose topics fulfil it.
    case topics(FCMCondition)

    /// nil: tags select the devices.
    var handleCount: Int? {
        if case .handles(let handles) = self { handles.count } else { nil }
    }
}
