import PushModel

/// Whom one send is for.
enum Audience: Sendable {
    /// No tags header.
    case everybody
    /// An empty tags header.
    case nobody
    case tagged(TagExpression)
    /// A direct send: these handles, registered or not.
    case handles([String])

    /// nil: tags choose the devices.
    var handleCount: Int? {
        if case .handles(let handles) = self { handles.count } else { nil }
    }
}
