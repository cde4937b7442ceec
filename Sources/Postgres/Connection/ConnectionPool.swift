import Concurrency
import Synchronization

/// The places of a database: how many connections are out, which are ready, and which callers wait, first come first
/// served. It only decides; `Database` opens and closes connections.
final class ConnectionPool: Sendable {
    /// The right to have a connection out.
    enum Place: Sendable {
        /// Use this connection.
        case ready(Connection)
        /// Open a connection.
        case empty
    }

    private struct State: Sendable {
        var out = 0
        /// The one used last is lent first, so connections that are not needed stay idle at the bottom.
        var ready: [Connection] = []
        var waiting = WaiterQueue<Void, Result<Place, DatabaseError>>()
        var isClosed = false
        var onEmpty = WaiterQueue<Void, Void>()
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(1, limit) }

    /// Callers in line now.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Places out, connections ready and callers in line, at one moment.
    var use: Database.Use {
        state.withLock { state in
            Database.Use(out: state.out, ready: state.ready.count, waiting: state.waiting.count, limit: limit)
        }
    }

    /// Waits for a place, to be returned with `giveBack`.
    ///
    /// - Throws: `DatabaseError` when the database was closed or the task was cancelled.
    func take() async throws(DatabaseError) -> Place {
        let result = await WaiterQueue.wait(whenCancelled: .failure(Self.cancelled)) { waiter in
            state.withLock { state -> Result<Place, DatabaseError>? in
                if state.isClosed { return .failure(Self.closed) }
                guard state.out < limit else {
                    state.waiting.append(waiter)
                    return nil
                }
                state.out += 1
                return .success(state.ready.popLast().map(Place.ready) ?? .empty)
            }
        } remove: { id in
            state.withLock { $0.waiting.remove(id) }
        }
        return try result.get()
    }

    /// Gives a place back, with the connection if it is still good. The caller that has waited longest gets both.
    func giveBack(_ connection: Connection?) {
        let wake: () -> Void = state.withLock { state in
            if let next = state.waiting.popFirst() {
                return { next.resume(returning: .success(connection.map(Place.ready) ?? .empty)) }
            }
            state.out -= 1
            if let connection, !state.isClosed { state.ready.append(connection) }
            guard state.out == 0 else { return {} }
            let done = state.onEmpty.popAll()
            return { for waiter in done { waiter.resume(returning: ()) } }
        }
        wake()
    }

    /// Lends nothing any more, and fails the callers that wait.
    ///
    /// - Returns: the connections that were ready, for closing.
    func close() -> [Connection] {
        let (ready, waiting) = state.withLock { state in
            defer { (state.isClosed, state.ready) = (true, []) }
            return (state.ready, state.waiting.popAll())
        }
        for waiter in waiting { waiter.resume(returning: .failure(Self.closed)) }
        return ready
    }

    /// Waits until no connection is out. After `close` none goes out again. Cancellation does not end the wait.
    func allBack() async {
        await WaiterQueue.wait { waiter in
            state.withLock { state in
                if state.out == 0 { return () }
                state.onEmpty.append(waiter)
                return nil
            }
        }
    }

    private static let closed = DatabaseError(doing: "use the database", message: "it was closed")
    static let cancelled = DatabaseError(
        doing: "wait for a connection", message: "the task was cancelled", isTransient: true)
}
