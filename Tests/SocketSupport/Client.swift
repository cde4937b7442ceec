import Foundation
import Synchronization

/// One connection over a raw socket: it can send malformed requests, and sees how the connection ends.
///
/// Its calls block on their own queues, because Swift's thread pool has only one thread per core and also runs the server.
public final class Client: Sendable {
    public enum Failure: Error, Equatable {
        case cannotConnect
        /// The other side ended the connection (FIN).
        case ended
        /// The other side reset the connection (RST), or another error occurred.
        case broken(Int32)
        case notHTTP(String)
    }

    private let socket: Int32
    private let queue = DispatchQueue(label: "client")
    /// A separate queue, so that one task can send while another waits for the reply.
    private let sending = DispatchQueue(label: "client sends")
    /// Bytes behind the reply that was read last.
    private let kept = Mutex<[UInt8]>([])

    /// Connects to 127.0.0.1.
    ///
    /// - Parameters:
    ///   - beginning: sent by the same thread, so that no other task of a busy test run comes between: for servers that give a
    ///     new connection little time.
    ///   - receiveBuffer: bytes that the kernel keeps for a client that does not read; nil: what it likes.
    public init(port: Int, sending beginning: String = "", receiveBuffer: Int32? = nil) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // If the server hangs, the test fails instead of hanging too. A busy machine takes a minute for a page of metrics.
        var timeout = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        if var size = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw Failure.cannotConnect }
        try Self.send(Array(beginning.utf8), on: socket)
    }

    deinit { close(socket) }

    // MARK: Writing

    /// Sends a text unchanged.
    public func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    public func write(_ bytes: [UInt8]) async throws {
        try await on(sending) { [socket] in try Self.send(bytes, on: socket) }
    }

    private static func send(_ bytes: [UInt8], on socket: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { throw Failure.broken(errno) }
            sent += count
        }
    }

    /// Sends as much as the kernel takes at once.
    ///
    /// - Returns: the number of bytes; 0 when its buffers are full.
    public func writeWhatFits(_ bytes: ArraySlice<UInt8>) async throws -> Int {
        try await on(sending) { [socket] in
            let count = bytes.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress!, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
            }
            if count < 0, errno != EAGAIN { throw Failure.broken(errno) }
            return max(0, count)
        }
    }

    /// Shuts down the sending side (FIN).
    public func finishWriting() { shutdown(socket, Int32(SHUT_WR)) }

    /// Ends the connection with RST.
    public func reset() {
        // To an address of no family: the kernel drops the connection, and the descriptor stays ours until deinit.
        var nowhere = sockaddr()
        connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
    }

    // MARK: Reading

    /// Reads one reply with its whole body; what follows it is kept for the next call.
    ///
    /// - Parameter isHead: it answers HEAD, so that it has no body whatever its length.
    public func reply(toHEAD isHead: Bool = false) async throws -> Reply {
        try await on(queue) { [self] in
            var bytes = takeKept()
            let end = Array("\r\n\r\n".utf8)
            var headEnd = bytes.firstRange(of: end)?.upperBound
            while headEnd == nil {
                bytes += try receive()
                headEnd = bytes.firstRange(of: end)?.upperBound
            }
            guard let headEnd else { throw Failure.ended }
            var reply = try Reply(head: String(decoding: bytes[..<headEnd], as: UTF8.self))
            let length = isHead ? 0 : reply.headers["content-length"].map { Int($0) ?? 0 }
            while bytes.count < headEnd + (length ?? 0) { bytes += try receive() }
            // A body without a length: as far as it has come.
            let bodyEnd = length.map { headEnd + $0 } ?? (reply.hasLength ? headEnd : bytes.count)
            reply.body = String(decoding: bytes[headEnd..<bodyEnd], as: UTF8.self)
            kept.withLock { $0 = Array(bytes[bodyEnd...]) }
            return reply
        }
    }

    /// The next bytes. Throws `ended` or `broken` when the connection has ended.
    public func some() async throws -> [UInt8] {
        try await on(queue) { [self] in
            let bytes = takeKept()
            return bytes.isEmpty ? try receive() : bytes
        }
    }

    /// All that comes until the connection ends, in whatever way.
    public func rest() async -> String {
        var bytes: [UInt8] = []
        while let more = try? await some() { bytes += more }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How the connection ends, after reading all remaining bytes.
    public func ending() async -> Failure {
        do {
            while true { _ = try await some() }
        } catch let failure as Failure {
            return failure
        } catch {
            return .broken(-1)
        }
    }

    private func takeKept() -> [UInt8] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    private func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress!, $0.count, 0) }
        if count == 0 { throw Failure.ended }
        if count < 0 { throw Failure.broken(errno) }
        return Array(buffer[..<count])
    }

    private func on<Value: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
