import Synchronization

/// The places of a database: how many connections may be out, which lie ready, and who waits, first come first served.
/// Decides only; opening and closing is the `Database`'s.
final class ConnectionPool: Sendable {
    /// The right to have a connection out.
    enum Place: Sendable {
        /// Take this one.
        case ready(Connection)
        /// Open one.
        case empty
    }

    private struct State: Sendable {
        var out = 0
        /// Used last, lent first: what is not needed falls asleep at the bottom.
        var ready: [Connection] = []
        var waiting: [(number: Int, continuation: CheckedContinuation<Result<Place, DatabaseError>, Never>)] = []
        var numbers = 0
        var isClosed = false
        var onEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(1, limit) }

    /// How many wait at this moment.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Places out, connections that lie ready, and who waits, at one moment.
    var use: Database.Use {
        state.withLock { state in
            Database.Use(out: state.out, ready: state.ready.count, waiting: state.waiting.count, limit: limit)
        }
    }

    /// Waits for a place. Whoever gets one has to give it back.
    ///
    /// - Throws: `DatabaseError` when the database was closed or the task was cancelled.
    func take() async throws(DatabaseError) -> Place {
        let number = state.withLock { state in
            state.numbers += 1
            return state.numbers
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Result<Place, DatabaseError>? = state.withLock { state in
                    if state.isClosed { return .failure(Self.closed) }
                    // Looked at under the lock: a cancellation after this finds the waiter.
                    if Task.isCancelled { return .failure(Self.cancelled) }
                    guard state.out < limit else {
                        state.waiting.append((number, continuation))
                        return nil
                    }
                    state.out += 1
                    return .success(state.ready.popLast().map(Place.ready) ?? .empty)
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
            }
            waiter?.resume(returning: .failure(Self.cancelled))
        }
        return try result.get()
    }

    /// Gives a place back, with the connection if it is still good. It goes to whoever waits longest.
    func giveBack(_ connection: Connection?) {
        let wake: () -> Void = state.withLock { state in
            if !state.waiting.isEmpty {
                let next = state.waiting.removeFirst().continuation
                return { next.resume(returning: .success(connection.map(Place.ready) ?? .empty)) }
            }
            state.out -= 1
            if let connection, !state.isClosed { state.ready.append(connection) }
            guard state.out == 0 else { return {} }
            defer { state.onEmpty = [] }
            return { [done = state.onEmpty] in done.forEach { $0.resume() } }
        }
        wake()
    }

    /// Lends nothing any more and fails whoever waits.
    ///
    /// - Returns: the connections that lay ready, for closing.
    func close() -> [Connection] {
        let (ready, waiting) = state.withLock { state in
            defer { (state.isClosed, state.ready, state.waiting) = (true, [], []) }
            return (state.ready, state.waiting)
        }
        for waiter in waiting { waiter.continuation.resume(returning: .failure(Self.closed)) }
        return ready
    }

    /// Waits until nothing is out. After `close` that is so for good.
    func allBack() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.out > 0 { state.onEmpty.append(continuation) }
                return state.out == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    private static let closed = DatabaseError(doing: "use the database", message: "it was closed")
    static let cancelled = DatabaseError(
        doing: "wait for a connection", message: "the task was cancelled", isTransient: true)
}
