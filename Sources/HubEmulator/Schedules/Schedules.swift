import Synchronization

/// Notifications that wait for their time, and the timer that sends them out.
final class Schedules: Sendable {
    private struct State {
        var pending: [String: PendingNotification] = [:]
        var lastNumber = 0
        /// The earliest time; what it stood for may have been cancelled since. nil: nothing waits.
        var next: Double?
        var timer: Task<Void, Never>?
        var isStopped = false
    }

    private let kept: Int
    private let clock: EmulatorClock
    private let deliver: @Sendable (PendingNotification) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kept: the most that wait at once, of all hubs together. At least 1.
    ///   - deliver: sends one out. Called once for each that was not cancelled, outside of any lock.
    init(kept: Int, clock: EmulatorClock, deliver: @escaping @Sendable (PendingNotification) -> Void) {
        self.kept = max(1, kept)
        self.clock = clock
        self.deliver = deliver
    }

    /// Takes one; it goes out when the clock says so, or with the next `deliverDue`.
    ///
    /// - Throws: 403 when there are as many as there may be. The service knows no such limit.
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

    /// - Returns: false: there is none that waits, or not at this hub.
    func cancel(_ id: String, hub: String) -> Bool {
        state.withLock { state in
            guard state.pending[id]?.hub.name == hub else { return false }
            state.pending[id] = nil
            return true
        }
    }

    /// Sends out what is due by now, the earliest first, and returns when devices have it.
    func deliverDue() {
        let now = clock.now
        let due = state.withLock { state -> [PendingNotification] in
            // Asked after every send that is scheduled: mostly nothing is due, and what waits need not be looked through.
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

    /// In the order in which they are due.
    var waiting: [ScheduledNotification] {
        state.withLock { Array($0.pending.values) }
            .sorted { ($0.dueAt, $0.number) < ($1.dueAt, $1.number) }
            .map(ScheduledNotification.init)
    }

    /// Nothing goes out by itself any more.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// Wakes up for the next one. The clock may have been given and may stand still: then it is looked at again, but
    /// not more than twenty times a second; and one that jumps is noticed within the hour, or at once by `deliverDue`.
    private func arm(_ state: inout State) {
        state.timer?.cancel()
        state.timer = nil
        guard let next = state.next, !state.isStopped else { return }
        let seconds = min(max(next - clock.now, 0.05), 3_600)
        state.timer = Task { [weak self] in
            // Ends early only by cancellation: then another timer has taken over, or the emulator has stopped.
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            self?.deliverDue()
        }
    }
}
