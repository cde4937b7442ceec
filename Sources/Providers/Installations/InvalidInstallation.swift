import HTTPTransport

/// Why an installation or a patch cannot be sent. Names the field and the rule; never a handle.
public enum InvalidInstallation: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rule that the id breaks.
    case id(String)
    /// Why the text is not the JSON that is needed.
    case json(String)
    /// A field that is missing or wrong, and the rule that it breaks.
    case field(String, String)
    /// A malformed header line: only a strange key name or tracking id can cause it.
    case header(HeaderError)

    public var description: String {
        switch self {
        case .id(let rule): "installationId: \(rule)"
        case .json(let why): why
        case .field(let name, let rule): "\(name.sanitised(limit: 120)): \(rule)"
        case .header(let error): "\(error)"
        }
    }
}
