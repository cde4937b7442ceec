import Synchronization

/// The pending notifications, and the timer that delivers them.
final class ScheduledSends: Sendable {
    private struct State {
        var pending: [String: PendingNotification] = [:]
        var lastNumber = 0
        /// The earliest time; its notification may have been cancelled since. nil: none pending.
        var next: Double?
        var timer: Task<Void, Never>?
        var isStopped = false
    }

    private let kept: Int
    private let clock: EmulatorClock
    private let deliver: @Sendable (PendingNotification) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kept: most pending notifications of all hubs together. At least 1.
    ///   - deliver: called once for each notification that was not cancelled, outside any lock.
    init(kept: Int, clock: EmulatorClock, deliver: @escaping @Sendable (PendingNotification) -> Void) {
        self.kept = max(1, kept)
        self.clock = clock
        self.deliver = deliver
    }

    /// Adds one. It is delivered when due, by the timer or by `deliverDue`.
    ///
    /// - Throws: 403 when too many are pending. The service has no such limit.
    func add(_ notification: PendingNotification) throws(ServiceError) {
        try state.withLock { state throws(ServiceError) in
            guard state.pending.count < kept else {
                throw ServiceError(status: 403, detail: "The emulator keeps at most \(kept) scheduled notifications.")
            }
            state.lastNumber += 1
            var notification = notification
            notification.number = state.lastNumber
            state.pending[notification.id] = notification
            if state.next.map({ notification.dueAt < $0 }) ?? true {
                state.next = notification.dueAt
                arm(&state)
            }
        }
    }

    /// - Returns: false: not pending at this hub.
    func cancel(_ id: String, hub: String) -> Bool {
        state.withLock { state in
            guard state.pending[id]?.hub.name == hub else { return false }
            state.pending[id] = nil
            return true
        }
    }

    /// Delivers what is due by now, earliest first, and returns afterwards.
    func deliverDue() {
        let now = clock.now
        let due = state.withLock { state -> [PendingNotification] in
            // Called after every scheduled send: mostly nothing is due, so avoid the search.
            if let next = state.next, next > now {
                arm(&state)
                return []
            }
            let due = state.pending.values.filter { $0.dueAt <= now }
            for notification in due { state.pending[notification.id] = nil }
            state.next = state.pending.values.lazy.map(\.dueAt).min()
            arm(&state)
            return due
        }
        for notification in due.sorted(by: { ($0.dueAt, $0.number) < ($1.dueAt, $1.number) }) { deliver(notification) }
    }

    /// In order of due time.
    var waiting: [ScheduledNotification] {
        state.withLock { Array($0.pending.values) }
            .sorted { ($0.dueAt, $0.number) < ($1.dueAt, $1.number) }
            .map(ScheduledNotification.init)
    }

    /// Stops the timer. `deliverDue` still works.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// Sets the timer for the next notification. A test's clock may stand still: then the timer checks it at most
    /// twenty times a second. A clock that jumps is noticed within the hour, or at once by `deliverDue`.
    private func arm(_ state: inout State) {
        state.timer?.cancel()
        state.timer = nil
        guard let next = state.next, !state.isStopped else { return }
        let seconds = min(max(next - clock.now, 0.05), 3_600)
        state.timer = Task { [weak self] in
            // Cancelled: another timer took over, or the emulator stopped.
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            self?.deliverDue()
        }
    }
}
