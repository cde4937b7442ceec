import CLibcurl
import Concurrency
import Glibc

/// What the loop thread of a client does.
protocol TransportLoop: AnyObject {
    /// Runs until the inbox is stopping. Afterwards every request has been answered.
    func run()
}

/// The event loop: drives all transfers of one multi handle on one thread.
///
/// One turn: take what was submitted, begin requests that have a slot, let libcurl act, deliver what ended, wait.
/// Everything here is confined to the loop thread; work comes in only through `Inbox`, and replies go out only through
/// `RequestChannel.deliver` and `PendingReply.answer`.
final class Reactor: TransportLoop {
    private let settings: TransportSettings
    private let caBundle: String?
    private let inbox: Inbox
    private let counts: AtomicCounters
    private let sockets: EpollSet
    private let urls: KnownURLs
    private let multi: MultiHandle

    private var slots: [Slot] = []
    private var idle: [Slot] = []
    private var slotLimit: Int
    private var queue = RequestQueue()
    private var deliveries: Deliveries

    /// Made on any thread; `run` confines it to its own.
    init(_ settings: TransportSettings, inbox: Inbox, counts: AtomicCounters) throws(TransportError) {
        self.settings = settings
        slotLimit = settings.slots
        self.inbox = inbox
        self.counts = counts
        caBundle = settings.caBundle ?? LibCurl.defaultCABundle
        sockets = try EpollSet(wakeFD: inbox.wakeFD, counts: counts)
        urls = KnownURLs(settings)
        deliveries = Deliveries(counts: counts)
        // At most as many connections to a host as slots: a safety net. Our own queue stays below it, because in libcurl's
        // queue the request's timeout already runs.
        multi = try MultiHandle(sockets, keeping: settings.connectionLimit, perHost: settings.slots)
        // The first slot now: an option that libcurl does not know must fail the start.
        let slot = try Slot(settings, caBundle: caBundle, sockets: sockets)
        slots.append(slot)
        idle.append(slot)
    }

    deinit {
        // The order libcurl asks for: first the easy handles, then the multi handle.
        idle = []
        slots = []
    }

    func run() {
        while true {
            var work = inbox.take()
            if !work.batches.isEmpty { queue.add(work.batches) }
            for call in work.cancelled { cancel(call) }
            for ping in work.pings.popAll() { ping.resume(returning: ()) }
            for look in work.looks.popAll() { look.resume(returning: []) }
            if work.isStopping { break }
            begin()
            multi.fireTimer()
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
                deliveries.finish(.notSent(request.id, because: error), for: recipient)
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
        if code == CURLE_OK, !multi.add(slot.easy) { code = CURLE_OUT_OF_MEMORY }
        guard code == CURLE_OK else {
            slot.unload()
            let fault = Reply.Fault(code: Int32(code.rawValue), text: LibCurl.text(code))
            deliveries.finish(.notSent(request.id, because: fault), for: recipient)
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

    private func wait() {
        var milliseconds = couldBegin ? 0 : LoopTime.milliseconds(until: multi.deadline)
        if milliseconds != 0, !inbox.fallAsleep() { milliseconds = 0 }
        sockets.wait(milliseconds: milliseconds, multi.act, onWake: inbox.drainWakeFD)
        inbox.wakeUp()
    }

    // MARK: End

    /// Delivers what has ended.
    private func collect() {
        lazy var now = LoopTime()
        while let (easy, code) = multi.nextDone() {
            var pointer: UnsafeMutableRawPointer?
            fanfare_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
            end(Slot.from(pointer), code, at: now)
        }
        deliveries.deliver()
    }

    private func end(_ slot: Slot, _ code: CURLcode, because fault: Reply.Fault? = nil, at now: LoopTime) {
        let reply = slot.reply(code, because: fault, at: now)
        multi.remove(slot.easy)
        if slot.wasRefusedResend { counts.silentResendsRefused.add(1, ordering: .relaxed) }
        slot.target?.origin.inFlight -= 1
        let recipient = slot.recipient
        slot.unload()
        idle.append(slot)
        if let recipient { deliveries.finish(reply, for: recipient) }
    }

    private func cancel(_ call: PendingReply) {
        let slot = slots.first { slot in
            if case .pending(let other) = slot.recipient { other === call } else { false }
        }
        if let slot {
            end(slot, CURLE_ABORTED_BY_CALLBACK, because: .cancelled, at: LoopTime())
        } else {
            // It waits for a slot, and is skipped when its turn comes; or it was answered already.
            deliveries.finish(.notSent(call.id, because: .cancelled), for: .pending(call))
        }
    }

    private func abandonEverything() {
        while let (request, recipient) = queue.first {
            queue.removeFirst()
            deliveries.finish(.notSent(request.id, because: .shutDown), for: recipient)
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
