import ProgramSupport
import Foundation
import Glibc
import Synchronization
import Testing

/// systemd's place: what a service says of itself arrives here, one datagram after the other.
final class NotifySocket: Sendable {
    /// For `NOTIFY_SOCKET`.
    let path: String
    private let handle: Int32
    private let heard: AsyncStream<String>
    /// How often the service has said that it lives.
    let watchdogs = Count()

    init(in scratch: ScratchDirectory) throws {
        let path = scratch.path + "/notify"
        self.path = path
        let handle = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        self.handle = handle
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        let (stream, continuation) = AsyncStream<String>.makeStream()
        heard = stream
        try #require(code == 0)
        // A thread of its own: receiving blocks.
        Thread.detachNewThread { [watchdogs] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while case let count = recv(handle, &buffer, buffer.count, 0), count > 0 {
                let said = String(decoding: buffer[..<count], as: UTF8.self)
                if said.contains("WATCHDOG=1") { watchdogs.add() }
                continuation.yield(said)
            }
            continuation.finish()
            close(handle)  // here: closed under a thread that still reads, its number may be somebody else's
        }
    }

    deinit { shutdown(handle, Int32(SHUT_RDWR)) }

    /// Waits until the service has said this.
    ///
    /// - Returns: the whole datagram.
    @discardableResult
    func wait(for text: String) async -> String {
        for await said in heard where said.contains(text) { return said }
        return ""
    }
}

/// Counts what another thread sees.
final class Count: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}
