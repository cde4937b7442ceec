import CLibcurl
import Concurrency
import Synchronization

/// How one lane talks to the loop: it submits batches of requests and receives batches of replies to them.
///
/// A request costs no task and no continuation: switching threads is what costs, and a batch shares that.
public final class RequestChannel: Sendable {
    private struct State: Sendable {
        var ready: [Reply] = []
        var waiting = WaiterQueue<Void, [Reply]>()
        var isClosed = false
        /// `rest` was called, and no call of `replies` has ended by it yet.
        var isResting = false
    }

    private let inbox: Inbox
    private let counts: AtomicCounters
    private let state = Mutex(State())

    init(inbox: Inbox, counts: AtomicCounters) {
        self.inbox = inbox
        self.counts = counts
    }

    /// Hands requests to the loop and returns at once. Each gets exactly one reply; after a shutdown that is `notSent`.
    public func submit(_ batch: [Request]) {
        guard !batch.isEmpty else { return }
        guard !inbox.submit(Batch(requests: batch, recipient: .channel(self))) else { return }
        let replies = batch.map { Reply.notSent($0.id, because: .shutDown) }
        for reply in replies { counts.count(reply) }
        deliver(replies)
    }

    /// The replies that have arrived since the last call, in order of arrival; waits for at least one.
    ///
    /// Cancelling the task does not end the wait: requests in flight will be answered, and their replies have to be
    /// recorded. Every request ends by its timeout. With nothing in flight it waits for the next submission.
    ///
    /// - Returns: empty only after the shutdown or `rest`, once every reply has been taken. One consumer at a time.
    public func replies() async -> [Reply] {
        await WaiterQueue.wait { waiter in
            state.withLock { state in
                guard state.ready.isEmpty else {
                    defer { state.ready = [] }
                    return state.ready
                }
                guard !state.isClosed, !state.isResting else {
                    state.isResting = false
                    return []
                }
                state.waiting.append(waiter)
                return nil
            }
        }
    }

    /// Nothing is in flight, and the consumer goes: the call of `replies` that waits, or else the next one, returns empty.
    public func rest() {
        let waiter = state.withLock { state in
            let waiter = state.waiting.popFirst()
            state.isResting = waiter == nil
            return waiter
        }
        waiter?.resume(returning: [])
    }

    /// The replies of one turn. Called by the loop thread.
    func deliver(_ replies: [Reply]) {
        let (waiter, all) = state.withLock { state -> (WaiterQueue<Void, [Reply]>.Waiter?, [Reply]) in
            if state.ready.isEmpty { state.ready = replies } else { state.ready.append(contentsOf: replies) }
            guard let waiter = state.waiting.popFirst() else { return (nil, []) }
            defer { state.ready = [] }
            return (waiter, state.ready)
        }
        waiter?.resume(returning: all)
    }

    /// The loop has delivered its last reply.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return state.waiting.popAll()
        }
        for waiter in waiting { waiter.resume(returning: []) }
    }
}

extension Reply {
    static func notSent(_ id: Int64, because fault: Fault) -> Reply {
        Reply(id: id, outcome: .notSent(fault), milliseconds: 0, receivedAt: SystemClock.wallSeconds())
    }
}

extension Reply.Fault: Error {
    static let shutDown = Reply.Fault(
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue), text: "the transport was shut down")
    static let cancelled = Reply.Fault(
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue), text: "the caller stopped waiting")
    static let resendRefused = Reply.Fault(
        code: Int32(CURLE_ABORTED_BY_CALLBACK.rawValue),
        text: "the connection was lost after the request had left; not sent a second time")
}
