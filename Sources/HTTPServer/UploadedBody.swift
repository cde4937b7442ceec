/// A request's body, collected within bounds.
public struct UploadedBody: Sendable {
    /// nil: it is larger than the limit.
    public let bytes: [UInt8]?

    /// Bytes read and thrown away beyond the limit, so that a client that is slightly over gets to read its 413 instead
    /// of a reset.
    public static let slack = 1_048_576

    public init(bytes: [UInt8]?) { self.bytes = bytes }
}
