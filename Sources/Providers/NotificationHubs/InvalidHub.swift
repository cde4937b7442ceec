import HTTPTransport
import Signing

/// Why a hub cannot be used as configured.
public enum InvalidHub: Error, Sendable, Equatable, CustomStringConvertible {
    /// Characters of the name: none, or more than `NotificationHubs.nameLimit`.
    case nameLength(Int)
    /// `.` or `..`: a URL drops it.
    case dots
    /// The version does not fit into a header.
    case version(HeaderError)
    case endpoint(WebAddressError)
    /// Empty, only dots, or longer than 100 bytes.
    case project
    /// Not `[a-zA-Z0-9-_.~%]+`.
    case broadcastTopic
    /// Not the bundle id of an app.
    case topic

    public var description: String {
        switch self {
        case .nameLength(let count): "hub name has \(count) characters, 1 to \(NotificationHubs.nameLimit) are allowed"
        case .dots: "hub name is only dots"
        case .version(let error): "version: \(error)"
        case .endpoint(let error): "endpoint \(error)"
        case .project: "project is empty, only dots, or longer than 100 bytes; it is the id of the Firebase project"
        case .broadcastTopic: "broadcastTopic is not a topic: letters, digits and - _ . ~ %"
        case .topic: "topic is not the bundle id of an app: letters, digits and - . _"
        }
    }
}
