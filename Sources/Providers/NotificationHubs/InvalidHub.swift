import HTTPTransport

/// Why a hub cannot be spoken to as configured.
public enum InvalidHub: Error, Sendable, Equatable, CustomStringConvertible {
    /// Empty, or longer than `NotificationHubs.nameLimit`; characters it has.
    case nameLength(Int)
    /// `.` or `..`: a URL would lose it.
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
