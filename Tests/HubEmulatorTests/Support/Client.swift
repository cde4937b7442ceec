import Foundation

/// One connection over a raw socket: it can send malformed requests, and sees how the connection ends.
///
/// Its calls block on their own queues, because Swift's thread pool has only one thread per core and also runs the
/// emulator.
final class Client: Sendable {
    struct Reply: Sendable {
        var status: Int
        /// Names in lower case.
        var headers: [String: String]
        var body: String
    }

    enum Failure: Error, Equatable {
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

    init(port: Int) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // If the emulator hangs, the test fails instead of hanging too.
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw Failure.cannotConnect }
    }

    deinit { close(socket) }

    /// Sends a text unchanged.
    func write(_ text: String) async throws { try await write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) async throws {
        try await on(sending) { [socket] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    send(socket, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { throw Failure.broken(errno) }
                sent += count
            }
        }
    }

    /// Shuts down the sending side (FIN).
    func finishWriting() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads one reply with its whole body.
    func reply() async throws -> Reply {
        try await onQueue { [self] in
            var bytes: [UInt8] = []
            let end = Array("\r\n\r\n".utf8)
            var headEnd: Int?
            while headEnd == nil {
                bytes += try receive()
                headEnd = bytes.firstRange(of: end)?.upperBound
            }
            guard let headEnd else { throw Failure.ended }
            let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).components(separatedBy: "\r\n")
            let words = lines[0].split(separator: " ")
            guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
                throw Failure.notHTTP(lines[0])
            }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() where line.contains(":") {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
            let length = Int(headers["content-length"] ?? "0") ?? 0
            while bytes.count < headEnd + length { bytes += try receive() }
            return Reply(
                status: status, headers: headers, body: String(decoding: bytes[headEnd...], as: UTF8.self))
        }
    }

    /// The next bytes. Throws `ended` or `broken` when the connection has ended.
    func some() async throws -> [UInt8] { try await onQueue { [self] in try receive() } }

    /// How the connection ends, after reading all remaining bytes.
    func ending() async -> Failure {
        do {
            while true { _ = try await some() }
        } catch let failure as Failure {
            return failure
        } catch {
            return .broken(-1)
        }
    }

    private func receive() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress!, $0.count, 0) }
        if count == 0 { throw Failure.ended }
        if count < 0 { throw Failure.broken(errno) }
        return Array(buffer[..<count])
    }

    private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await on(queue, body)
    }

    private func on<Value: Sendable>(
        _ queue: DispatchQueue, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
