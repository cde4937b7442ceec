import Synchronization

/// For how many posts intents are written before there are places for them: as many as the hub answers while an intent is
/// written, and a portion, so that the places that answers make free are used at once.
///
/// At most a quarter of the window: after a crash their messages are in doubt, as are those of posts in flight.
final class WriteAhead: Sendable {
    /// Longer than this a post does not wait for its place: it is taken back, so that a person can cancel its message and
    /// another worker may claim it. Seconds.
    static let longestWait = 0.5

    /// How long an intent takes, smoothed, in seconds.
    private let seconds = Mutex(0.0)

    /// An intent was written.
    func wrote(in seconds: Double) {
        self.seconds.withLock { $0 = $0 == 0 ? seconds : $0 * 0.8 + seconds * 0.2 }
    }

    /// - Parameters:
    ///   - rate: answers per second.
    ///   - window: posts the hub may have at once.
    func posts(rate: Double, window: Int) -> Int {
        let meanwhile = rate * seconds.withLock { $0 }
        // A hub that answers faster than intents are written is not what a place waits for: it gained nothing and cost a
        // twentieth of the worker's CPU.
        guard meanwhile > 0, meanwhile < Double(window) / 2 else { return 0 }
        let posts = min(window / 4, Int(meanwhile.rounded(.up)) + IntentBatch(of: window).least)
        // In good time, or they would be taken back.
        return Double(posts) < rate * Self.longestWait / 2 ? posts : 0
    }
}
