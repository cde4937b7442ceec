import Concurrency
import Synchronization

/// Whether the server answers, as all clients of one database see it together.
///
/// While it is away, one task asks for all of them, at most every 0.8 s and at random times. Callers that need a
/// connection get its next answer; callers that back off sleep until the server is back. Without callers that wait, no
/// task asks.
final class Outage: Sendable {
    private struct State: Sendable {
        /// No session can be opened; or one was lost, and the server was not asked since.
        var isAway = false
        /// The server answers and takes no changes.
        var isReadOnly = false
        var isProbing = false
        var backoff = ReopenBackoff()
        var endedAt: ContinuousClock.Instant?
        /// Callers that need a connection. nil: the server is back.
        var asking = WaiterQueue<Void, DatabaseError?>()
        /// Callers that back off, and whether the server is back.
        var sleeping = WaiterQueue<Void, Bool>()
    }

    private typealias Asking = WaiterQueue<Void, DatabaseError?>.Waiter
    private typealias Sleeping = WaiterQueue<Void, Bool>.Waiter

    private let state = Mutex(State())
    /// Connects, and returns whether the server takes changes.
    private let connect: @Sendable () async throws(DatabaseError) -> Bool
    private let counts: FaultCounts

    /// An outage that ended less than this ago explains a failure that is reported now.
    static let echo = Duration.seconds(1)

    /// - Parameter counts: counts ends of outages. Default: nobody reads it.
    init(
        counting counts: FaultCounts = FaultCounts(),
        connect: @escaping @Sendable () async throws(DatabaseError) -> Bool
    ) {
        self.counts = counts
        self.connect = connect
    }

    var isAway: Bool { state.withLock { $0.isAway } }

    /// Whether the task that asks for all of them is there.
    var isProbing: Bool { state.withLock { $0.isProbing } }

    /// How many callers back off, or wait for a connection.
    var waiting: Int { state.withLock { $0.sleeping.count + $0.asking.count } }

    /// A session was lost: it is unknown whether the server is there.
    func sessionWasLost() { state.withLock { $0.isAway = true } }

    /// The server refused a change because it takes none.
    func changeWasRefused() { state.withLock { $0.isReadOnly = true } }

    /// A caller has connected.
    func connected() { answered(takesChanges: false) }

    /// A caller could not connect.
    func couldNotConnect() {
        state.withLock { state in
            state.isAway = true
            // Callers that tried side by side count once.
            if state.backoff.notBefore == nil { state.backoff.failed(at: .now, random: .random(in: 0...1)) }
        }
    }

    /// Waits until the server can be asked for a connection.
    ///
    /// - Throws: `DatabaseError` of the next attempt to connect, or when the task is cancelled.
    func waitForServer() async throws(DatabaseError) {
        let error = await WaiterQueue.wait(whenCancelled: ConnectionPool.cancelled) { waiter -> DatabaseError?? in
            let mustWait = state.withLock { state in
                // After a lost session, the first caller finds out.
                let mustWait = state.isAway && state.backoff.notBefore != nil
                if mustWait { state.asking.append(waiter) }
                return mustWait
            }
            guard mustWait else { return .some(nil) }
            startProbing()
            return nil
        } remove: { id in
            state.withLock { $0.asking.remove(id) }
        }
        if let error { throw error }
    }

    /// Sleeps, less long if the server is available again after it was away or took no changes.
    ///
    /// - Returns: whether it is available again.
    @discardableResult
    func sleep(atMost limit: Duration) async -> Bool {
        let hasJustEnded = state.withLock { state in
            guard !state.isAway, !state.isReadOnly, let endedAt = state.endedAt else { return false }
            return endedAt + Self.echo > .now
        }
        let isBack: Bool
        if hasJustEnded {
            isBack = true
        } else {
            isBack = await sleepUntilBack(atMost: limit)
        }
        // Callers that wake together should not ask together.
        if isBack { await Sleep.system(min(limit / .seconds(1), .random(in: 0.02...0.12))) }
        return isBack
    }

    private func sleepUntilBack(atMost limit: Duration) async -> Bool {
        let waiting = Task { await waitForEnd() }
        let alarm = Task {
            await Sleep.system(limit / .seconds(1))
            waiting.cancel()
        }
        let isBack = await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        alarm.cancel()
        return isBack
    }

    private func waitForEnd() async -> Bool {
        await WaiterQueue.wait(whenCancelled: false) { waiter -> Bool? in
            let isOut = state.withLock { state in
                state.sleeping.append(waiter)
                return state.isAway || state.isReadOnly
            }
            if isOut { startProbing() }
            return nil
        } remove: { id in
            state.withLock { $0.sleeping.remove(id) }
        }
    }

    private func startProbing() {
        let starts = state.withLock { state in
            defer { state.isProbing = true }
            return !state.isProbing
        }
        if starts { Task { await probe() } }
    }

    private func probe() async {
        while let moment = nextProbe() {
            // Nobody cancels this task.
            try? await Task.sleep(until: moment, clock: .continuous)
            do throws(DatabaseError) {
                answered(takesChanges: try await connect())
            } catch  where error.isTransient {
                failed(error)
            } catch {
                // The server is there and refuses us: each caller finds out by itself.
                answered(takesChanges: true)
            }
        }
    }

    /// - Returns: nil when the server is back, or nobody waits for it.
    private func nextProbe() -> ContinuousClock.Instant? {
        state.withLock { state in
            let isOut = state.isAway || state.isReadOnly
            let isWanted = !state.asking.isEmpty || !state.sleeping.isEmpty
            guard isOut, isWanted else {
                state.isProbing = false
                return nil
            }
            return state.backoff.notBefore ?? .now
        }
    }

    private func failed(_ error: DatabaseError) {
        let asking = state.withLock { state in
            state.isAway = true
            state.backoff.failed(at: .now, random: .random(in: 0...1))
            return state.asking.popAll()
        }
        for waiter in asking { waiter.resume(returning: error) }
    }

    private func answered(takesChanges: Bool) {
        let (asking, sleeping): ([Asking], [Sleeping]) = state.withLock { state in
            let wasOut = state.isAway || state.isReadOnly
            if state.isAway { counts.reconnected() }
            state.isAway = false
            if takesChanges { state.isReadOnly = false }
            guard wasOut else { return ([], []) }
            guard !state.isReadOnly else {
                state.backoff.failed(at: .now, random: .random(in: 0...1))
                return (state.asking.popAll(), [])
            }
            state.backoff.succeeded()
            state.endedAt = .now
            return (state.asking.popAll(), state.sleeping.popAll())
        }
        for waiter in asking { waiter.resume(returning: nil) }
        for waiter in sleeping { waiter.resume(returning: true) }
    }
}
