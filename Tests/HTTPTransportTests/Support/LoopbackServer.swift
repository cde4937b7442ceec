import Glibc
import Synchronization

/// A server on 127.0.0.1 whose behaviour each test defines: raw sockets, one thread per connection.
final class LoopbackServer: Sendable {
    let port: UInt16
    /// Every request that was read whole, in order of arrival.
    let received = Events<ReceivedRequest>()
    /// The number of each connection that was accepted.
    let accepted = Events<Int>()
    private let listener: Int32
    private let isSecure: Bool
    private let isStopped = Atomic<Bool>(false)

    /// - Parameters:
    ///   - tls: nil: it speaks plain text.
    ///   - serve: runs on the connection's thread; the connection is closed when it returns. Not called for a connection whose
    ///     handshake fails.
    init(tls: ServerTLS? = nil, _ serve: @escaping @Sendable (Peer) -> Void) throws {
        isSecure = tls != nil
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let listener = self.listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 1024) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard bound else { throw Failure(errno: errno) }
        port = UInt16(bigEndian: address.sin_port)
        Self.thread { [self] in
            var count = 0
            while true {
                let fd = accept(listener, nil, nil)
                guard fd >= 0, !isStopped.load(ordering: .relaxed) else { break }
                count += 1
                let peer = Peer(fd: fd, number: count, server: self)
                accepted.add(count)
                Self.thread {
                    if tls.map(peer.secure) ?? true { serve(peer) }
                    peer.close()
                }
            }
            close(listener)
        }
    }

    /// Answers every request on every connection with `reply`.
    static func answering(_ reply: String = Peer.created) throws -> LoopbackServer {
        try LoopbackServer { peer in
            while peer.read() != nil { peer.send(reply) }
        }
    }

    var url: String { "\(isSecure ? "https" : "http")://127.0.0.1:\(port)/hub/messages/?api-version=2020-06" }

    /// Refuses connections from now on; open ones stay.
    func stopListening() {
        isStopped.store(true, ordering: .relaxed)
        shutdown(listener, Int32(SHUT_RDWR))
    }

    struct Failure: Error {
        var errno: Int32
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body: body))
        pthread_create(
            &thread, nil,
            { pointer in
                Unmanaged<Box>.fromOpaque(pointer!).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

struct ReceivedRequest: Sendable {
    /// Which connection it came on, from 1.
    var connection: Int
    /// `POST /path HTTP/1.1`
    var line: String
    /// As they were sent.
    var headers: [String]
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
}
