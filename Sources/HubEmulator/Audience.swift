import PushModel

/// Whom one send is for.
enum Audience: Sendable {
    /// No tags header.
    case everybody
    /// An empty tags header.
    case nobody
    case tagged(TagExpression)
    /// A direct send: the device with this channel, registered or not.
    case handle(String)
}
