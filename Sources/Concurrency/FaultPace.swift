/// Faults in a row of a loop that goes on: how long it waits after each, and which of them it logs. Pure.
public struct FaultPace: Sendable, Equatable {
    /// Faults since the last round that succeeded.
    public private(set) var faults = 0

    public init() {}

    public mutating func succeeded() { faults = 0 }

    /// - Returns: whether to log it: the first, and every twentieth after it.
    public mutating func failed() -> Bool {
        faults += 1
        return faults == 1 || faults % 20 == 0
    }

    /// Seconds until the next round: one more with each fault, at most 5.
    public var pause: Double { min(5, Double(faults)) }
}
