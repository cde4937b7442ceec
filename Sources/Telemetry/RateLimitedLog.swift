import Concurrency
import Logging
import Synchronization

/// Logs the same trouble once a minute: the first line of a key at once, and the first repeat after a minute with the
/// number of lines that were held back (`repeated`).
///
/// Lines with the same key are repeats, for example of one hub and status: `"news 503"`. Safe from any thread.
public final class RateLimitedLog: Sendable {
    private let repeats: Mutex<Repeats>
    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - interval: seconds between two lines of one key. Default: 60.
    ///   - now: monotonic seconds. Default: the system's monotonic clock.
    public init(interval: Double = 60, now: @escaping @Sendable () -> Double = SystemClock.monotonicSeconds) {
        repeats = Mutex(Repeats(interval: interval))
        self.now = now
    }

    /// Logs the line, or counts it.
    public func log(
        _ level: Logger.Level, _ message: @autoclosure () -> Logger.Message, key: String, to logger: Logger,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard level >= logger.logLevel else { return }
        let time = now()
        guard let heldBack = repeats.withLock({ $0.note(key, at: time) }) else { return }
        var metadata = metadata()
        if heldBack > 0 { metadata["repeated"] = .stringConvertible(heldBack) }
        logger.log(level: level, message(), metadata: metadata)
    }
}

/// When each key was last printed, and how many lines were held back since. Pure; `RateLimitedLog` adds the lock and
/// the clock.
struct Repeats: Sendable {
    /// Seconds.
    let interval: Double
    /// Keys remembered at most. Beyond that, keys without a line in the last interval are forgotten, or else the
    /// oldest.
    let capacity: Int
    private var seen: [String: (printed: Double, heldBack: Int)] = [:]

    init(interval: Double, capacity: Int = 1000) {
        self.interval = interval
        self.capacity = capacity
    }

    var count: Int { seen.count }

    /// - Returns: nil: do not print. Otherwise the number of lines held back since the last one printed.
    mutating func note(_ key: String, at time: Double) -> Int? {
        if let last = seen[key] {
            if time - last.printed < interval {
                seen[key] = (last.printed, last.heldBack + 1)
                return nil
            }
            seen[key] = (time, 0)
            return last.heldBack
        }
        if seen.count >= capacity { makeRoom(at: time) }
        seen[key] = (time, 0)
        return 0
    }

    private mutating func makeRoom(at time: Double) {
        seen = seen.filter { time - $0.value.printed < interval }
        if seen.count >= capacity, let oldest = seen.min(by: { $0.value.printed < $1.value.printed }) {
            seen[oldest.key] = nil
        }
    }
}
