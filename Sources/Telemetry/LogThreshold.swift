import Logging
import Synchronization

/// The level below which nothing is logged, shared by every logger that has not been given a level of its own.
///
/// One atomic read per check, so a reload can change it while the worker runs.
public final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    public init(_ level: Logger.Level) {
        index = Atomic(Self.levels.firstIndex(of: level) ?? 0)
    }

    public var level: Logger.Level {
        get { Self.levels[index.load(ordering: .relaxed)] }
        set { index.store(Self.levels.firstIndex(of: newValue) ?? 0, ordering: .relaxed) }
    }

    private static let levels = Logger.Level.allCases
}
