import Glibc
import Synchronization

/// What can be known about a connection without asking its thread.
final class ConnectionHealth: Sendable {
    private let socket = Atomic<Int32>(-1)
    private let isFit = Atomic<Bool>(false)

    /// Told by the connection after everything it does.
    func feel(_ session: Session?) {
        let isFit = session.map(\.isWorthKeeping) ?? false
        socket.store(isFit ? session?.socket ?? -1 : -1, ordering: .releasing)
        self.isFit.store(isFit, ordering: .releasing)
    }

    /// Connected and in no transaction when it was last used: somebody else may have it.
    var isReusable: Bool { isFit.load(ordering: .acquiring) }

    /// Nothing arrived on an idle connection. Otherwise the server said something unasked, usually goodbye.
    var isQuiet: Bool {
        var descriptor = pollfd(fd: socket.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0)
        return descriptor.fd >= 0 && poll(&descriptor, 1, 0) == 0
    }
}
