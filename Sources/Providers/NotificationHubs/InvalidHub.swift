import HTTPTransport

/// Why a hub cannot be used as configured.
public enum InvalidHub: Error, Sendable, Equatable, CustomStringConvertible {
    /// Characters of the name: none, or more than `NotificationHubs.nameLimit`.
    case nameLength(Int)
    /// `.` or `..`: a URL drops it.
    case dots
    /// The version does not fit into a header.
    case version(HeaderError)

    public var description: String {
        switch self {
        case .nameLength(let count): "hub name has \(count) characters, 1 to \(NotificationHubs.nameLimit) are allowed"
        case .dots: "hub name is only dots"
        case .version(let error): "version: \(error)"
        }
    }
}
