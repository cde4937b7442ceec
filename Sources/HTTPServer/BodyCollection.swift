import NIOCore

/// The body of a request as it arrives, within bounds.
struct BodyCollection {
    let limit: Int
    let then: @Sendable (UploadedBody) -> ResponsePlan
    private var bytes: [UInt8] = []
    private var total = 0

    init(limit: Int, then: @escaping @Sendable (UploadedBody) -> ResponsePlan) {
        self.limit = limit
        self.then = then
    }

    mutating func add(_ buffer: ByteBuffer) {
        total += buffer.readableBytes
        if total <= limit {
            bytes.append(contentsOf: buffer.readableBytesView)
        } else {
            bytes = []
        }
    }

    /// Beyond the slack: the rest is not worth reading.
    var isTooLong: Bool { total > limit + UploadedBody.slack }

    /// What follows from the body as far as it has come.
    var plan: ResponsePlan { then(UploadedBody(bytes: total > limit ? nil : bytes)) }
}
