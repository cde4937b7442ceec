import CNghttp2

/// The frames that leave next, side by side in one buffer: one write of 16 kB costs less than one for each frame. Counts
/// bytes, so that each request knows whether its header block was handed to the connection.
final class FrameOutput {
    /// Bytes of one write: a TLS record. Of a larger write a part may leave although libcurl says that nothing did.
    private static let record = 16_384

    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * record, alignment: 16)
    private var start = 0
    private var end = 0
    /// Bytes put into frames since the connection began.
    private(set) var collected = 0
    /// Of those, bytes that the connection has taken. What it has not, nobody can read: of a TLS record that did not leave
    /// whole, nothing can be decrypted.
    private var handedOver = 0

    deinit { buffer.deallocate() }

    /// Collects all frames there are, when nothing waits: a frame that stays behind could not be told from one that left.
    func fill(from session: OpaquePointer) {
        guard start == end else { return }
        (start, end) = (0, 0)
        var bytes: UnsafePointer<UInt8>?
        while true {
            // Negative: no memory. Then it makes none, and the requests end by their timeouts.
            let count = nghttp2_session_mem_send(session, &bytes)
            guard count > 0, let bytes else { return }
            reserve(count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[end...])
                .copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count))
            end += count
            collected += count
        }
    }

    private func reserve(_ count: Int) {
        guard end + count > buffer.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * (end + count), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<end]))
        buffer.deallocate()
        buffer = larger
    }

    /// What the next write has; empty: nothing waits. Until it is `wrote` it stays at its place, as OpenSSL wants it.
    var waiting: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer[start..<min(end, start + Self.record)])
    }

    var isEmpty: Bool { start == end }

    func wrote(_ count: Int) {
        start += count
        handedOver += count
    }

    /// How far a header block has come that begins at this byte.
    func progress(of headersAt: Int?) -> StreamEnding.Headers {
        guard let headersAt else { return .waiting }
        return headersAt < handedOver ? .handedOver : .collected
    }
}
