import HummingbirdCore
import PushModel

/// A request's body, read within bounds.
struct UploadedBody: Sendable {
    /// nil: it is larger than the limit.
    let bytes: [UInt8]?
    /// The client has more to send than we are willing to read: after the answer the connection has to go.
    let isUnfinished: Bool

    /// The most bytes a request may have, other than a batch.
    static let limit = Post.bodyLimit

    /// Bytes read and thrown away beyond the limit, so that a client that is slightly over gets to read its 413 instead
    /// of a reset.
    static let slack = 1_048_576

    /// - Throws: when the client goes away or breaks the protocol half-way.
    static func read(_ body: RequestBody, limit: Int = UploadedBody.limit) async throws -> UploadedBody {
        var bytes: [UInt8] = []
        var total = 0
        for try await part in body {
            total += part.readableBytes
            if total <= limit {
                bytes.append(contentsOf: part.readableBytesView)
            } else if total > limit + slack {
                return UploadedBody(bytes: nil, isUnfinished: true)
            } else {
                bytes = []
            }
        }
        return UploadedBody(bytes: total <= limit ? bytes : nil, isUnfinished: false)
    }
}
