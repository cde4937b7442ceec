/// The transport could not be started. A failed request is not an error: it has an outcome.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was tried.
    public let doing: String
    /// errno or libcurl's number; 0 when the settings themselves are wrong.
    public let code: Int32
    public let text: String

    public var description: String {
        code == 0 ? "\(doing): \(text)" : "\(doing): \(code) \(text)"
    }
}
