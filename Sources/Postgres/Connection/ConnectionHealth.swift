import Glibc
import Synchronization

/// What any thread can know about a connection without asking the connection's own thread.
final class ConnectionHealth: Sendable {
    private let socket = Atomic<Int32>(-1)
    private let isFit = Atomic<Bool>(false)
    private let isBroken = Atomic<Bool>(false)
    private let isRefused = Atomic<Bool>(false)

    /// Called by the connection after everything it does.
    func update(_ session: Session?) {
        let isFit = session.map(\.isWorthKeeping) ?? false
        socket.store(isFit ? session?.socket ?? -1 : -1, ordering: .releasing)
        self.isFit.store(isFit, ordering: .releasing)
        isBroken.store(session?.isBroken ?? false, ordering: .releasing)
        isRefused.store(session?.isReadOnly ?? false, ordering: .releasing)
    }

    /// Connected and in no transaction after its last use: it can be lent again.
    var isReusable: Bool { isFit.load(ordering: .acquiring) }

    /// The session was lost.
    var wasLost: Bool { isBroken.load(ordering: .acquiring) }

    /// The server refused a change because it takes none.
    var isReadOnly: Bool { isRefused.load(ordering: .acquiring) }

    /// Nothing has arrived on the idle connection. If something has, it is usually the server's farewell.
    var isQuiet: Bool {
        var descriptor = pollfd(fd: socket.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0)
        return descriptor.fd >= 0 && poll(&descriptor, 1, 0) == 0
    }
}
