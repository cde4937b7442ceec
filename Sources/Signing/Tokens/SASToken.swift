/// A shared access signature: permission for everything under one resource until `expiry`.
public struct SASToken: Sendable, Equatable {
    /// The whole value of the `Authorization` header, `SharedAccessSignature sr=...`.
    public let header: Secret
    /// Seconds since 1970-01-01 UTC; refused from that second on.
    public let expiry: Int64

    public init(header: Secret, expiry: Int64) {
        self.header = header
        self.expiry = expiry
    }
}
