import CLibcurl
import Synchronization

/// One lane's door to the loop: batches in, batches out. Replies come back to the outlet that sent the request.
///
/// There is no task and no continuation per request: the hop between threads is what costs, and here it is shared.
public final class RequestChannel: Sendable {
    private struct State: Sendable {
        var ready: [Reply] = []
        var waiting: [CheckedContinuation<[Reply], Never>] = []
        var isClosed = false
    }

    private let inbox: Inbox
    private let tally: AtomicCounters
    private let state = Mutex(State())

    init(inbox: Inbox, tally: AtomicCounters) {
        self.inbox = inbox
        self.tally = tally
    }

    /// Hands requests to the loop and returns at once. Each gets exactly one reply, whatever happens; after a shutdown
    /// that is `notSent`.
    public func submit(_ batch: [Request]) {
        guard !batch.isEmpty else { return }
        guard !inbox.submit(Batch(requests: batch, recipient: .channel(self))) else { return }
        let replies = batch.map { Reply.notSent($0.id, because: .shutDown) }
        for reply in replies { tally.count(reply) }
        deliver(replies)
    }

    /// The replies that have come back since the last call, in the order they came; waits for at least one.
    ///
    /// Cancelling the task does not end the wait, because what is in flight will be answered and somebody has to write it
    /// down; every request ends by its timeout. With nothing in flight it waits for the next submission.
    ///
    /// - Returns: empty only once the loop has been shut down and every reply has been taken. One consumer at a time.
    public func replies() async -> [Reply] {
        await withCheckedContinuation { continuation in
            let now: [Reply]? = state.withLock { state in
                guard state.ready.isEmpty, !state.isClosed else {
                    defer { state.ready = [] }
                    return state.ready
                }
                state.waiting.append(continuation)
                return nil
            }
            if let now { continuation.resume(returning: now) }
        }
    }

    /// From the loop thread: the replies of one turn.
    func deliver(_ replies: [Reply]) {
        let (waiting, all) = state.withLock { state -> (CheckedContinuation<[Reply], Never>?, [Reply]) in
            if state.ready.isEmpty { state.ready = replies } else { state.ready.append(contentsOf: replies) }
            guard !state.waiting.isEmpty else { return (nil, []) }
            defer { state.ready = [] }
            return (state.waiting.removeFirst(), state.ready)
        }
        waiting?.resume(returning: all)
    }

    /// The loop has delivered its last reply.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: []) }
    }
}

extension Reply {
    static func notSent(_ id: Int64, because fault: Fault) -> Reply {
        Reply(id: id, outcome: .notSent(fault), milliseconds: 0, receivedAt: wallSeconds())
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
