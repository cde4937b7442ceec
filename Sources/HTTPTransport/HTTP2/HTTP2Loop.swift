import CLibcurl
import Concurrency

/// The event loop of a client that speaks HTTP/2: as `Reactor`, but libcurl only connects, and the frames are ours.
///
/// One turn: take what was submitted, submit what the connections take, deliver what ended, write, wait, read. Confined to the
/// loop thread, but for `Inbox` and the receivers of replies.
final class HTTP2Loop: TransportLoop {
    struct GroupKey: Hashable {
        let origin: ObjectIdentifier
        let credential: Int64
    }

    let settings: TransportSettings
    let http2: HTTP2Settings
    let caBundle: String?
    private let inbox: Inbox
    let counts: AtomicCounters
    private let sockets: EpollSet
    let multi: MultiHandle
    let origins: HTTP2Origins
    let fields: RequestFields
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    var groups: [GroupKey: HTTP2Group] = [:]
    /// By descriptor number.
    var connected: [Int32: (connection: HTTP2Connection, group: HTTP2Group)] = [:]
    /// Those that may have more to read although epoll does not show it.
    var unread: [HTTP2Connection] = []
    /// Whose server has said goodbye to a connection that carries requests: each gets another one, though nothing may wait yet.
    var bereft: [HTTP2Group] = []
    var deliveries: Deliveries
    /// Of this turn: taken once, when the wait has ended.
    private(set) var now = LoopTime()
    var queued = 0
    var inFlight = 0
    /// There may be something to begin although nothing happens: a group was held back, because enough connections had been
    /// begun in this turn, or a connection has ended since.
    var looksAgain = false

    /// Made on any thread; `run` confines it to its own.
    init(
        _ settings: TransportSettings, _ http2: HTTP2Settings, inbox: Inbox, counts: AtomicCounters
    ) throws(TransportError) {
        self.settings = settings
        self.http2 = http2
        self.inbox = inbox
        self.counts = counts
        caBundle = settings.caBundle ?? LibCurl.defaultCABundle
        sockets = try EpollSet(wakeFD: inbox.wakeFD, counts: counts)
        // libcurl closes what it keeps beyond this number, and it counts ours as kept.
        multi = try MultiHandle(sockets, keeping: 100_000)
        origins = HTTP2Origins(KnownURLs(settings))
        fields = RequestFields(userAgent: settings.userAgent)
        deliveries = Deliveries(counts: counts)
    }

    deinit { readBuffer.deallocate() }

    func run() {
        now = LoopTime()
        while true {
            var work = inbox.take()
            for batch in work.batches { add(batch) }
            for call in work.cancelled { cancel(call) }
            for ping in work.pings.popAll() { ping.resume(returning: ()) }
            for look in work.looks.popAll() { look.resume(returning: facts) }
            if work.isStopping { break }
            checkTimes()
            begin()
            multi.fireTimer()
            finishConnecting()
            // Before the write, so that the tasks that wait for replies submit more while this thread is still awake.
            deliveries.deliver()
            writeAll()
            publish()
            deliveries.deliver()
            wait()
        }
        abandonEverything()
        publish()
    }

    private func wait() {
        var milliseconds = looksAgain || !unread.isEmpty ? 0 : LoopTime.milliseconds(until: deadline)
        if milliseconds != 0, !inbox.fallAsleep() { milliseconds = 0 }
        var ready = unread
        unread = []
        sockets.wait(milliseconds: milliseconds) { fd, bits in
            if let entry = connected[fd] {
                if !ready.contains(where: { $0 === entry.connection }) { ready.append(entry.connection) }
            } else {
                multi.act(fd, bits)
            }
        } onWake: {
            inbox.drainWakeFD()
        }
        inbox.wakeUp()
        now = LoopTime()
        for connection in ready { read(connection) }
    }

    private var deadline: UInt64? {
        var first = multi.deadline
        for (connection, _) in connected.values {
            guard let next = connection.frames?.deadline else { continue }
            first = min(first ?? next, next)
        }
        for group in groups.values {
            guard let next = group.deadline(after: now) else { continue }
            first = min(first ?? next, next)
        }
        return first
    }

    private func publish() {
        counts.turns.add(1, ordering: .relaxed)
        counts.inFlight.store(inFlight, ordering: .relaxed)
        counts.http2Streams.store(inFlight, ordering: .relaxed)
        counts.queued.store(queued, ordering: .relaxed)
    }

    private var facts: [HTTP2Facts] {
        groups.values.flatMap(\.connections).map { connection in
            HTTP2Facts(
                origin: String(decoding: connection.origin.prefix, as: UTF8.self),
                streams: connection.frames?.inFlight ?? 0, allowed: connection.frames?.state.allowed,
                carried: connection.frames?.carried ?? 0,
                ageSeconds: Double(now.monotonic &- connection.bornAt) / 1e9,
                isRetired: connection.frames?.state.isRetired ?? false)
        }
    }
}
