/// Whether the poller sleeps, and so when it looks next. Pure.
///
/// Asleep, it looks seldom and waits for `push.wake_up()`. That function notifies only while a worker says in
/// `push.worker` that it sleeps. So the worker writes that first and then looks once more: a backend may have committed
/// meanwhile (docs/storage.md, "Wake-up"). A look from time to time limits the delay of what still slips through.
/// Without a session that listens, the poller stays awake.
struct PollSchedule: Equatable {
    enum State: Equatable {
        case awake
        /// `push.worker` says that the worker sleeps, and there was no look since.
        case fallingAsleep
        case asleep
    }

    /// Seconds without anything due after which it sleeps.
    static let quietSeconds = 1.0

    private(set) var state = State.awake
    private var isListening = false
    /// Monotonic seconds.
    private var busyAt = -Double.infinity

    /// Whether `push.worker` has to say that the worker sleeps.
    var announcesSleep: Bool { state != .awake }

    /// Something may be due: messages were returned, or the database could not be asked.
    mutating func stayAwake(now: Double) {
        state = .awake
        busyAt = now
    }

    /// A backend called `push.wake_up()`, or listening began or ended.
    mutating func signalled(isListening: Bool, now: Double) {
        self.isListening = isListening
        stayAwake(now: now)
    }

    /// - Parameter isQuiet: whether all lanes wait and nothing was due for any of them.
    mutating func looked(isQuiet: Bool, now: Double) {
        guard isQuiet else { return stayAwake(now: now) }
        switch state {
        case .awake where isListening && now - busyAt >= Self.quietSeconds: state = .fallingAsleep
        case .fallingAsleep: state = .asleep
        case .awake, .asleep: break
        }
    }

    /// Seconds until the next look.
    func pause(awake: Double, asleep: Double) -> Double {
        switch state {
        case .awake: awake
        case .fallingAsleep: 0
        case .asleep: max(awake, asleep)
        }
    }
}
