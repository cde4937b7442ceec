import CLibcurl
import Concurrency

/// One multi handle of libcurl, with the sockets it watches and its timer. Confined to the loop thread.
final class MultiHandle {
    private let raw: UnsafeMutableRawPointer
    /// Outlives the handle, which closes its connections through it.
    let sockets: EpollSet
    /// When libcurl wants to be called even if nothing happens, in nanoseconds; nil: never.
    private(set) var deadline: UInt64?

    /// - Parameters:
    ///   - connections: kept at most, used or idle.
    ///   - perHost: connections to one host at most. Default: no limit.
    init(_ sockets: EpollSet, keeping connections: Int, perHost: Int = 0) throws(TransportError) {
        guard let multi = curl_multi_init() else {
            throw TransportError(doing: "cannot make a curl multi handle", code: 0, text: "out of memory")
        }
        raw = UnsafeMutableRawPointer(multi)
        self.sockets = sockets
        try configure(connections, perHost)
    }

    deinit {
        curl_multi_cleanup(raw)
    }

    private func configure(_ connections: Int, _ perHost: Int) throws(TransportError) {
        let watch: fanfare_watch_callback = { _, fd, what, sockets, _ in
            Unmanaged<EpollSet>.fromOpaque(sockets!).takeUnretainedValue().watch(fd, what)
            return 0
        }
        let timer: fanfare_timer_callback = { _, milliseconds, me in
            let me = Unmanaged<MultiHandle>.fromOpaque(me!).takeUnretainedValue()
            me.deadline =
                milliseconds < 0 ? nil : SystemClock.monotonicNanoseconds() &+ UInt64(milliseconds) &* 1_000_000
            return 0
        }
        let results = [
            fanfare_multi_set_watch(raw, watch),
            fanfare_multi_set_pointer(raw, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque()),
            fanfare_multi_set_timer(raw, timer),
            fanfare_multi_set_pointer(raw, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(self).toOpaque()),
            fanfare_multi_set_long(raw, CURLMOPT_MAXCONNECTS, connections),
            fanfare_multi_set_long(raw, CURLMOPT_MAX_HOST_CONNECTIONS, perHost),
        ]
        guard let bad = results.first(where: { $0 != CURLM_OK }) else { return }
        throw TransportError(
            doing: "cannot set up the curl multi handle", code: bad.rawValue,
            text: String(cString: curl_multi_strerror(bad)))
    }

    /// - Returns: false when libcurl refuses.
    func add(_ easy: UnsafeMutableRawPointer) -> Bool { curl_multi_add_handle(raw, easy) == CURLM_OK }

    func remove(_ easy: UnsafeMutableRawPointer) { curl_multi_remove_handle(raw, easy) }

    /// Lets libcurl act on a socket that is ready.
    ///
    /// - Parameter bits: its `CURL_CSELECT_…`.
    func act(_ fd: curl_socket_t, _ bits: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(raw, fd, bits, &running)
    }

    /// libcurl sets a timer of 0 ms for each added handle: firing it before the wait saves a call of epoll.
    func fireTimer() {
        guard let deadline, deadline <= SystemClock.monotonicNanoseconds() else { return }
        self.deadline = nil
        act(CURL_SOCKET_BAD, 0)
    }

    /// The next transfer that has ended, with libcurl's result; nil: there is none.
    func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(raw, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            // Read now: removing the handle frees the message.
            return (easy, fanfare_message_result(message))
        }
        return nil
    }
}
