import Glibc

/// The server's end of one connection. Used by that connection's thread alone.
final class Peer: @unchecked Sendable {  // passed from the accepting thread to its own, used by one at a time
    static let created = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\nTrackingId: t-1\r\n\r\n"

    /// Counted from 1.
    let number: Int
    private let fd: Int32
    private let server: LoopbackServer
    private var buffer: [UInt8] = []
    private var isOpen = true
    private var tls: TLSStream?

    init(fd: Int32, number: Int, server: LoopbackServer) {
        self.fd = fd
        self.number = number
        self.server = server
        var one: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Returns: false when the handshake fails.
    func secure(with settings: ServerTLS) -> Bool {
        tls = settings.accept(fd)
        return tls != nil
    }

    /// The common name of the client's certificate; nil: it has shown none.
    var clientName: String? { tls?.clientName }

    /// Whether the client resumed a TLS session.
    var isResumed: Bool { tls?.isResumed ?? false }

    /// Ends TLS with a fatal alert, bad_record_mac.
    func sendAlert() { tls?.sendAlert() }

    /// Reads one request, headers and body. nil when the client has closed.
    @discardableResult
    func read() -> ReceivedRequest? {
        var end = headEnd()
        while end == nil {
            guard fill() else { return nil }
            end = headEnd()
        }
        let head = String(decoding: buffer[..<end!], as: UTF8.self).components(separatedBy: "\r\n")
        let prefix = "content-length:"
        let length = head.first { $0.lowercased().hasPrefix(prefix) }.flatMap { line in
            Int(line.dropFirst(prefix.count).filter { $0 != " " })
        }
        let total = end! + 4 + (length ?? 0)
        while buffer.count < total {
            guard fill() else { return nil }
        }
        let request = ReceivedRequest(
            connection: number, line: head[0], headers: Array(head.dropFirst()), body: Array(buffer[(end! + 4)..<total])
        )
        buffer.removeFirst(total)
        server.received.add(request)
        return request
    }

    /// Exactly so many bytes; nil when the client has closed before.
    func read(bytes count: Int) -> [UInt8]? {
        while buffer.count < count {
            guard fill() else { return nil }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// - Returns: false when the client has closed.
    @discardableResult
    func send(_ text: String) -> Bool {
        send(Array(text.utf8))
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { bytes in
                tls?.write(bytes) ?? Glibc.send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Waits until the client closes.
    func waitForClose() {
        while fill() {}
    }

    /// Sends no more, but still reads.
    func endSending() { shutdown(fd, Int32(SHUT_WR)) }

    /// Closes with a reset instead of an orderly end.
    func reset() {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
        tls = nil
        close()
    }

    /// Counts a request that was read by other means than `read`.
    func received(_ request: ReceivedRequest) { server.received.add(request) }

    func stopListening() { server.stopListening() }

    func close() {
        guard isOpen else { return }
        isOpen = false
        tls?.end()
        Glibc.close(fd)
    }

    private func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = tls?.read(&chunk) ?? recv(fd, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }

    private func headEnd() -> Int? {
        guard buffer.count >= 4 else { return nil }
        return (0...(buffer.count - 4)).first { start in
            buffer[start] == 13 && buffer[start + 1] == 10 && buffer[start + 2] == 13 && buffer[start + 3] == 10
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [String] {
        self.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
