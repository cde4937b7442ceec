/// Whether the scout sleeps, and so when it looks next. Pure.
///
/// Sleeping is looking seldom and waiting for `push.wake_up()`. That notifies only while a worker says in `push.worker` that
/// it sleeps, so it says so first, and then looks once more: whoever saw it awake may have committed meanwhile (storage.md
/// section 3, point 9). A look every now and then bounds what slips through all the same. Without a session that listens
/// it stays awake.
struct PollSchedule: Equatable {
    enum State: Equatable {
        case awake
        /// It says that it sleeps, and has not looked since.
        case nodding
        case asleep
    }

    /// Seconds without anything due after which it sleeps.
    static let patience = 1.0

    private(set) var state = State.awake
    private var isListening = false
    /// Monotonic seconds.
    private var busyAt = -Double.infinity

    /// Whether `push.worker` has to say that it sleeps.
    var saysSo: Bool { state != .awake }

    /// Somebody called, the state of listening changed, or messages came back: there may be something due.
    mutating func disturbed(now: Double) {
        state = .awake
        busyAt = now
    }

    mutating func heard(isListening: Bool, now: Double) {
        self.isListening = isListening
        disturbed(now: now)
    }

    /// - Parameter isQuiet: whether all lanes wait and nothing was due for any of them.
    mutating func looked(isQuiet: Bool, now: Double) {
        guard isQuiet else { return disturbed(now: now) }
        switch state {
        case .awake where isListening && now - busyAt >= Self.patience: state = .nodding
        case .nodding: state = .asleep
        case .awake, .asleep: break
        }
    }

    /// Seconds until the next look.
    func pause(awake: Double, asleep: Double) -> Double {
        switch state {
        case .awake: awake
        case .nodding: 0
        case .asleep: max(awake, asleep)
        }
    }
}
