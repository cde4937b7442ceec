import CLibcurl
import Concurrency
import Glibc

/// The event loop: drives all transfers of one multi handle on one thread.
///
/// One turn: take what was submitted, begin requests that have a slot, let libcurl act, deliver what ended, wait.
/// Everything here is confined to the loop thread; work comes in only through `Inbox`, and replies go out only through
/// `RequestChannel.deliver` and `PendingReply.answer`.
final class Reactor {
    private let settings: TransportSettings
    private let caBundle: String?
    private let inbox: Inbox
    private let counts: AtomicCounters
    private let sockets: EpollSet
    private let urls: KnownURLs
    private let multi: UnsafeMutableRawPointer

    private var slots: [Slot] = []
    private var idle: [Slot] = []
    private var slotLimit: Int
    private var queue = RequestQueue()
    private var finished: [(channel: RequestChannel, replies: [Reply])] = []
    /// When libcurl wants to be called even if nothing happens; nil: never.
    private var deadline: UInt64?

    /// Made on any thread; `run` confines it to its own.
    init(_ settings: TransportSettings, inbox: Inbox, counts: AtomicCounters) throws(TransportError) {
        self.settings = settings
        slotLimit = settings.slots
        self.inbox = inbox
        self.counts = counts
        caBundle = settings.caBundle ?? LibCurl.defaultCABundle
        sockets = try EpollSet(wakeFD: inbox.wakeFD, counts: counts)
        urls = KnownURLs(settings)
        guard let multi = curl_multi_init() else {
            throw TransportError(doing: "cannot make a curl multi handle", code: 0, text: "out of memory")
        }
        self.multi = UnsafeMutableRawPointer(multi)
        try configure()
        // The first slot now: an option that libcurl does not know must fail the start.
        let slot = try Slot(settings, caBundle: caBundle, sockets: sockets)
        slots.append(slot)
        idle.append(slot)
    }

    deinit {
        // The order libcurl asks for: first the easy handles, then the multi handle. The epoll set follows with its
        // owner.
        idle = []
        slots = []
        curl_multi_cleanup(multi)
    }

    private func configure() throws(TransportError) {
        let watch: fanfare_watch_callback = { _, fd, what, sockets, _ in
            Unmanaged<EpollSet>.fromOpaque(sockets!).takeUnretainedValue().watch(fd, what)
            return 0
        }
        let timer: fanfare_timer_callback = { _, milliseconds, reactor in
            let reactor = Unmanaged<Reactor>.fromOpaque(reactor!).takeUnretainedValue()
            reactor.deadline =
                milliseconds < 0 ? nil : SystemClock.monotonicNanoseconds() &+ UInt64(milliseconds) &* 1_000_000
            return 0
        }
        let results = [
            fanfare_multi_set_watch(multi, watch),
            fanfare_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque()),
            fanfare_multi_set_timer(multi, timer),
            fanfare_multi_set_pointer(multi, CURLMOPT_TIMERDATA, Unmanaged.passUnretained(self).toOpaque()),
            fanfare_multi_set_long(multi, CURLMOPT_MAXCONNECTS, settings.connectionLimit),
            // A safety net: our own queue stays below it, because in libcurl's queue the request's timeout already
            // runs.
            fanfare_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.slots),
        ]
        guard let bad = results.first(where: { $0 != CURLM_OK }) else { return }
        throw TransportError(
            doing: "cannot set up the curl multi handle", code: bad.rawValue,
            text: String(cString: curl_multi_strerror(bad)))
    }

    /// Runs until the inbox is stopping. Afterwards every request has been answered.
    func run() {
        while true {
            var work = inbox.take()
            if !work.batches.isEmpty { queue.add(work.batches) }
            for call in work.cancelled { cancel(call) }
            for ping in work.pings.popAll() { ping.resume(returning: ()) }
            if work.isStopping { break }
            begin()
            fireTimer()
            collect()
            publish()
            wait()
            collect()
        }
        abandonEverything()
        publish()
    }

    // MARK: Begin

    /// Begins waiting requests while there are slots, and until enough new connections have been begun for one turn.
    private func begin() {
        var connectionsBegun = 0
        guard queue.count > 0 else { return }
        let now = SystemClock.monotonicNanoseconds()
        while let (request, recipient) = queue.first, let slot = idleSlot() {
            if case .pending(let call) = recipient, call.isAnswered {
                queue.removeFirst()
                continue
            }
            let target: RequestURL
            do {
                target = try urls.target(for: request.url)
            } catch {
                queue.removeFirst()
                finish(.notSent(request.id, because: error), for: recipient)
                continue
            }
            if target.origin.isExhausted {
                guard connectionsBegun < settings.newConnectionsPerTurn else { return }
                connectionsBegun += 1
            }
            queue.removeFirst()
            start(request, in: slot, to: target, for: recipient, at: now)
        }
    }

    /// Requests wait although there is a slot: they were held back, or the slot has become free since.
    private var couldBegin: Bool {
        queue.count > 0 && (!idle.isEmpty || slots.count < slotLimit)
    }

    private func start(
        _ request: Request, in slot: Slot, to target: RequestURL, for recipient: Recipient, at now: UInt64
    ) {
        var code = slot.load(request, to: target, for: recipient, at: now)
        if code == CURLE_OK, curl_multi_add_handle(multi, slot.easy) != CURLM_OK { code = CURLE_OUT_OF_MEMORY }
        guard code == CURLE_OK else {
            slot.unload()
            let fault = Reply.Fault(code: Int32(code.rawValue), text: LibCurl.text(code))
            finish(.notSent(request.id, because: fault), for: recipient)
            return
        }
        idle.removeLast()
        target.origin.inFlight += 1
        counts.requests.add(1, ordering: .relaxed)
    }

    /// The slot used last, so that few slots are used when few are needed; a new one while the limit allows.
    private func idleSlot() -> Slot? {
        if let slot = idle.last { return slot }
        guard slots.count < slotLimit else { return nil }
        // libcurl accepted the same options for the first slot, so this is lack of memory: keep to the slots we have.
        guard let slot = try? Slot(settings, caBundle: caBundle, sockets: sockets) else {
            slotLimit = slots.count
            return nil
        }
        slots.append(slot)
        idle.append(slot)
        return slot
    }

    // MARK: Act

    /// libcurl sets a timer of 0 ms for each added handle: firing it here saves a call of epoll.
    private func fireTimer() {
        guard let deadline, deadline <= SystemClock.monotonicNanoseconds() else { return }
        self.deadline = nil
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
    }

    private func wait() {
        var milliseconds: Int32 = -1
        if couldBegin {
            milliseconds = 0
        } else if let deadline {
            let now = SystemClock.monotonicNanoseconds()
            milliseconds = deadline <= now ? 0 : Int32(min((deadline - now + 999_999) / 1_000_000, 3_600_000))
        }
        if milliseconds != 0, !inbox.fallAsleep() { milliseconds = 0 }
        sockets.wait(milliseconds: milliseconds) { fd, bits in
            var running: Int32 = 0
            curl_multi_socket_action(multi, fd, bits, &running)
        } onWake: {
            inbox.drainWakeFD()
        }
        inbox.wakeUp()
    }

    // MARK: End

    /// Delivers what has ended.
    private func collect() {
        var left: Int32 = 0
        lazy var now = LoopTime()
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            let code = fanfare_message_result(message)  // read now: removing the handle frees the message
            var pointer: UnsafeMutableRawPointer?
            fanfare_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
            end(Slot.from(pointer), code, at: now)
        }
        guard !finished.isEmpty else { return }
        for (channel, replies) in finished { channel.deliver(replies) }
        finished.removeAll(keepingCapacity: true)
    }

    private func end(_ slot: Slot, _ code: CURLcode, because fault: Reply.Fault? = nil, at now: LoopTime) {
        let reply = slot.reply(code, because: fault, at: now)
        curl_multi_remove_handle(multi, slot.easy)
        if slot.wasRefusedResend { counts.silentResendsRefused.add(1, ordering: .relaxed) }
        slot.target?.origin.inFlight -= 1
        let recipient = slot.recipient
        slot.unload()
        idle.append(slot)
        if let recipient { finish(reply, for: recipient) }
    }

    private func finish(_ reply: Reply, for recipient: Recipient) {
        switch recipient {
        case .pending(let call):
            if call.answer(reply) { counts.count(reply) }
        case .channel(let channel):
            counts.count(reply)
            if let index = finished.lastIndex(where: { $0.channel === channel }) {
                finished[index].replies.append(reply)
            } else {
                finished.append((channel, [reply]))
            }
        }
    }

    private func cancel(_ call: PendingReply) {
        let slot = slots.first { slot in
            if case .pending(let other) = slot.recipient { other === call } else { false }
        }
        if let slot {
            end(slot, CURLE_ABORTED_BY_CALLBACK, because: .cancelled, at: LoopTime())
        } else {
            // It waits for a slot, and is skipped when its turn comes; or it was answered already.
            finish(.notSent(call.id, because: .cancelled), for: .pending(call))
        }
    }

    private func abandonEverything() {
        while let (request, recipient) = queue.first {
            queue.removeFirst()
            finish(.notSent(request.id, because: .shutDown), for: recipient)
        }
        for slot in slots where slot.recipient != nil {
            end(slot, CURLE_ABORTED_BY_CALLBACK, because: .shutDown, at: LoopTime())
        }
        collect()
    }

    private func publish() {
        counts.turns.add(1, ordering: .relaxed)
        counts.inFlight.store(slots.count - idle.count, ordering: .relaxed)
        counts.queued.store(queue.count, ordering: .relaxed)
    }
}
