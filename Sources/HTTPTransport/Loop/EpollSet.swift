import CLibcurl
import Glibc

/// The sockets the loop waits for, in an epoll set that is changed lazily.
///
/// libcurl asks to watch a socket when a transfer begins to wait, and to forget it when the transfer ends. Done
/// literally, that is two `epoll_ctl` per request on a kept connection, a fifth of its whole cost. So a socket of ours
/// stays in the set between requests, and the first event that no transfer wants takes it out. Confined to the loop
/// thread.
final class EpollSet {
    private struct Interest: OptionSet {
        let rawValue: UInt8
        static let read = Interest(rawValue: 1)
        static let write = Interest(rawValue: 2)

        /// - Parameter what: one of libcurl's `CURL_POLL_…`.
        init(poll what: Int32) {
            self.init(
                rawValue: (what & CURL_POLL_IN != 0 ? 1 : 0) | (what & CURL_POLL_OUT != 0 ? 2 : 0))
        }

        init(rawValue: UInt8) { self.rawValue = rawValue }

        var events: UInt32 {
            (contains(.read) ? EPOLLIN.rawValue : 0) | (contains(.write) ? EPOLLOUT.rawValue : 0)
        }
    }

    private struct Descriptor {
        /// What epoll knows.
        var registered: Interest = []
        /// What libcurl wants.
        var wanted: Interest = []
        /// Set for sockets that we open and close. nil for those that libcurl makes by itself (the resolver's pair): it
        /// closes them without notice and their numbers are used again, so they must not stay in the set.
        var origin: Origin?
    }

    private static let eventsPerWait = 256

    private let epoll: Int32
    private let wakeFD: Int32
    private let counts: AtomicCounters
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: eventsPerWait)
    /// By descriptor number.
    private var descriptors: [Descriptor] = []

    /// - Parameter wakeFD: an eventfd that ends a wait; owned by the caller.
    init(wakeFD: Int32, counts: AtomicCounters) throws(TransportError) {
        self.wakeFD = wakeFD
        self.counts = counts
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else {
            throw TransportError(doing: "cannot make an epoll set", code: errno, text: errorText(errno))
        }
        guard fanfare_epoll_change(epoll, EPOLL_CTL_ADD, wakeFD, EPOLLIN.rawValue) == 0 else {
            throw TransportError(doing: "cannot watch the wake-up descriptor", code: errno, text: errorText(errno))
        }
    }

    deinit {
        if epoll >= 0 { Glibc.close(epoll) }
        events.deallocate()
    }

    /// Opens a socket for libcurl.
    ///
    /// - Returns: -1 when the system refuses.
    func open(_ address: UnsafePointer<curl_sockaddr>, to target: RequestURL) -> curl_socket_t {
        let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        let fd = socket(address.pointee.family, kind, address.pointee.protocol)
        guard fd >= 0 else { return fd }
        reserve(fd)
        descriptors[Int(fd)] = Descriptor(origin: target.origin)
        target.origin.connections += 1
        counts.connectionsOpened.add(1, ordering: .relaxed)
        return fd
    }

    /// Closes a socket that `open` made; the kernel takes it out of the epoll set.
    func close(_ fd: curl_socket_t) -> Int32 {
        reserve(fd)
        descriptors[Int(fd)].origin?.connections -= 1
        descriptors[Int(fd)] = Descriptor()
        return Glibc.close(fd)
    }

    /// libcurl wants other events of one socket.
    ///
    /// - Parameter what: one of libcurl's `CURL_POLL_…`.
    func watch(_ fd: curl_socket_t, _ what: Int32) {
        reserve(fd)
        let index = Int(fd)
        let isOurs = descriptors[index].origin != nil
        guard what != CURL_POLL_REMOVE else {
            descriptors[index].wanted = []
            if !isOurs || descriptors[index].registered != .read { forget(fd) }
            return
        }
        let wanted = Interest(poll: what)
        descriptors[index].wanted = wanted
        let registered = descriptors[index].registered
        guard !isOurs || registered != wanted else { return }
        let operation = registered.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        var result = change(operation, fd, wanted)
        // A descriptor that is not ours may have been closed, and its number used again, without our knowing.
        if result == EEXIST { result = change(EPOLL_CTL_MOD, fd, wanted) }
        if result == ENOENT { result = change(EPOLL_CTL_ADD, fd, wanted) }
        if result != 0 { counts.epollFailures.add(1, ordering: .relaxed) }
        descriptors[index].registered = result == 0 ? wanted : []
    }

    /// Waits for events.
    ///
    /// - Parameters:
    ///   - milliseconds: at most this long; 0 does not wait, -1 has no limit.
    ///   - act: gets each socket that is ready, with libcurl's `CURL_CSELECT_…`.
    ///   - onWake: called when `wakeFD` is readable.
    func wait(milliseconds: Int32, _ act: (curl_socket_t, Int32) -> Void, onWake: () -> Void) {
        // Interrupted (-1, EINTR) is a turn without events.
        let count = epoll_wait(epoll, events, Int32(Self.eventsPerWait), milliseconds)
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let fd = fanfare_event_fd(events + index)
            let bits = fanfare_event_bits(events + index)
            if fd == wakeFD {
                onWake()
            } else if descriptors[Int(fd)].wanted.isEmpty {
                // A kept connection that the peer closed, or on which it sent something without a request. libcurl
                // checks it before it uses it again.
                forget(fd)
            } else {
                act(fd, Self.selectBits(bits))
            }
        }
    }

    /// An error or a hang-up counts as ready: libcurl sees what it is when it reads or writes.
    private static func selectBits(_ bits: UInt32) -> Int32 {
        let broken = bits & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0
        var select: Int32 = 0
        if broken || bits & EPOLLIN.rawValue != 0 { select |= CURL_CSELECT_IN }
        if broken || bits & EPOLLOUT.rawValue != 0 { select |= CURL_CSELECT_OUT }
        return select
    }

    private func forget(_ fd: Int32) {
        guard !descriptors[Int(fd)].registered.isEmpty else { return }
        descriptors[Int(fd)].registered = []
        // It fails only for a socket that is closed already, and so out of the set.
        _ = change(EPOLL_CTL_DEL, fd, [])
    }

    /// - Returns: 0 or errno.
    private func change(_ operation: Int32, _ fd: Int32, _ interest: Interest) -> Int32 {
        counts.epollChanges.add(1, ordering: .relaxed)
        return fanfare_epoll_change(epoll, operation, fd, interest.events) == 0 ? 0 : errno
    }

    private func reserve(_ fd: Int32) {
        while descriptors.count <= Int(fd) { descriptors.append(Descriptor()) }
    }
}
