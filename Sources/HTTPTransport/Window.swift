import Synchronization

/// How many requests may be in flight to one hub; shared by the hub's lanes.
///
/// Begins at 1 and grows by one for each answer, so at most doubling with every round, up to the limit. A cold start
/// with everything at once would mean one name lookup, one thread and one TLS handshake per request.
public final class Window: Sendable {
    private struct Waiter {
        let id: UInt64
        let upTo: Int
        let atLeast: Int
        let continuation: CheckedContinuation<Int, Never>
    }

    private struct State {
        var size = 1
        var inFlight = 0
        var waiters: [Waiter] = []
        var nextID: UInt64 = 0

        /// Places for one caller, or nil when there are too few yet.
        mutating func grant(upTo: Int, atLeast: Int) -> Int? {
            let free = size - inFlight
            guard free > 0, free >= min(atLeast, upTo, size) else { return nil }
            let places = min(upTo, free)
            inFlight += places
            return places
        }

        /// Serves those who wait, in the order they came.
        mutating func serve() -> [(CheckedContinuation<Int, Never>, Int)] {
            var served: [(CheckedContinuation<Int, Never>, Int)] = []
            while let first = waiters.first, let places = grant(upTo: first.upTo, atLeast: first.atLeast) {
                served.append((first.continuation, places))
                waiters.removeFirst()
            }
            return served
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the most requests in flight; less than 1 counts as 1.
    public init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Places given out and not yet given back.
    public var inFlight: Int { state.withLock { $0.inFlight } }

    /// Places there are now: 1 to the limit.
    public var size: Int { state.withLock { $0.size } }

    /// Callers that stand in line.
    var waiting: Int { state.withLock { $0.waiters.count } }

    /// Takes places; waits, behind those who came earlier, until there are enough.
    ///
    /// - Parameters:
    ///   - upTo: the most places wanted.
    ///   - atLeast: fewer are not worth having. Never more than the window has now, so it cannot wait for ever.
    /// - Returns: places taken, to be given back with `giveBack`. 0, and nothing to give back, when the task was
    ///   cancelled while it waited or `upTo` is less than 1.
    public func take(upTo: Int, atLeast: Int = 1) async -> Int {
        guard upTo > 0 else { return 0 }
        let (id, places) = state.withLock { state -> (UInt64, Int?) in
            state.nextID += 1
            return (state.nextID, state.waiters.isEmpty ? state.grant(upTo: upTo, atLeast: atLeast) : nil)
        }
        if let places { return places }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(id: id, upTo: upTo, atLeast: atLeast, continuation: continuation)
                enqueue(waiter)
                // A cancellation that came before the waiter stood in line found nobody to wake.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }

    /// Gives places back.
    ///
    /// - Parameters:
    ///   - places: as many as were taken for the requests that have ended.
    ///   - answered: how many of them were answered; the window grows by that.
    public func giveBack(_ places: Int, answered: Int) {
        let served = state.withLock { state in
            state.inFlight = max(0, state.inFlight - places)
            state.size = min(limit, state.size + max(0, answered))
            return state.serve()
        }
        for (continuation, places) in served { continuation.resume(returning: places) }
    }

    /// Begins anew at 1: nothing gets through, and the next try shall cost one request, not a whole window.
    public func shrink() { state.withLock { $0.size = 1 } }

    private func enqueue(_ waiter: Waiter) {
        let served = state.withLock { state in
            state.waiters.append(waiter)
            return state.serve()  // places may have come back since the first look
        }
        for (continuation, places) in served { continuation.resume(returning: places) }
    }

    private func cancel(_ id: UInt64) {
        let (cancelled, served) = state.withLock {
            state -> (Waiter?, [(CheckedContinuation<Int, Never>, Int)]) in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, []) }
            let waiter = state.waiters.remove(at: index)
            return (waiter, state.serve())  // it may have stood before somebody who wants less
        }
        cancelled?.continuation.resume(returning: 0)
        for (continuation, places) in served { continuation.resume(returning: places) }
    }
}
