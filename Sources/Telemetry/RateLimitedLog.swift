import Glibc
import Logging
import Synchronization

/// The same trouble once a minute: the first line of a key is printed at once, its repeats are counted, and the first
/// one after a minute is printed with how many were kept back (`repeated`).
///
/// A key says what makes two lines the same, for example hub and status: `"news 503"`. Safe from any thread.
public final class RateLimitedLog: Sendable {
    private let repeats: Mutex<Repeats>
    private let now: @Sendable () -> Double

    /// - Parameters:
    ///   - interval: seconds between two lines of one key. Default: 60.
    ///   - now: seconds of a clock that never goes back. Default: the monotonic clock.
    public init(interval: Double = 60, now: @escaping @Sendable () -> Double = RateLimitedLog.monotonic) {
        repeats = Mutex(Repeats(interval: interval))
        self.now = now
    }

    /// Logs, or counts what it does not log.
    public func log(
        _ level: Logger.Level, _ message: @autoclosure () -> Logger.Message, key: String, to logger: Logger,
        metadata: @autoclosure () -> Logger.Metadata = [:]
    ) {
        guard level >= logger.logLevel else { return }
        let time = now()
        guard let keptBack = repeats.withLock({ $0.note(key, at: time) }) else { return }
        var metadata = metadata()
        if keptBack > 0 { metadata["repeated"] = .stringConvertible(keptBack) }
        logger.log(level: level, message(), metadata: metadata)
    }

    @Sendable public static func monotonic() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Who spoke when, and how often it was kept back. Pure; `RateLimitedLog` adds the lock and the clock.
struct Repeats: Sendable {
    /// Seconds.
    let interval: Double
    /// Keys remembered at most; beyond it the ones that fell silent are forgotten, and then the longest silent one.
    let capacity: Int
    private var seen: [String: (printed: Double, keptBack: Int)] = [:]

    init(interval: Double, capacity: Int = 1000) {
        self.interval = interval
        self.capacity = capacity
    }

    var count: Int { seen.count }

    /// - Returns: nil: stay quiet. Otherwise print, saying that so many were kept back since the last line.
    mutating func note(_ key: String, at time: Double) -> Int? {
        if let last = seen[key] {
            if time - last.printed < interval {
                seen[key] = (last.printed, last.keptBack + 1)
                return nil
            }
            seen[key] = (time, 0)
            return last.keptBack
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
