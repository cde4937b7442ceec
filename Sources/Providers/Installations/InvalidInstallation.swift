import HTTPTransport

/// Why an installation, or a change of one, cannot be sent. Names the field and the rule; never a handle.
public enum InvalidInstallation: Error, Sendable, Equatable, CustomStringConvertible {
    /// The id; the rule it breaks.
    case id(String)
    /// No JSON of the kind that is asked for; why.
    case json(String)
    /// A field that is missing or of a wrong kind; the rule it breaks.
    case field(String, String)
    /// A header line, which only a very strange key can spoil.
    case header(HeaderError)

    public var description: String {
        switch self {
        case .id(let rule): "installationId: \(rule)"
        case .json(let why): why
        case .field(let name, let rule): "\(OperatorText.line(name, limit: 120)): \(rule)"
        case .header(let error): "\(error)"
        }
    }
}
