import Synchronization

/// What a lane has seen of how its hub takes changes of devices. Times are monotonic seconds.
final class DeviceHealth: Sendable {
    private struct State {
        var breaker = Breaker()
        var counts = DeviceCounts()
        /// Since when changes wait.
        var waitsSince: Double?
    }

    private let state = Mutex(State())

    /// Whether the hub took or read a change around the time that one left.
    func othersSucceed(leftAt: Double) -> Bool { state.withLock { $0.breaker.workedAt > leftAt - 1 } }

    /// The hub took a change, or read it and refused its content.
    func worked(now: Double) { state.withLock { _ = $0.breaker.worked(now: now) } }

    /// A change did not get through.
    ///
    /// - Returns: how many seconds the others should wait; nil: they go on.
    func failed(leftAt: Double, now: Double) -> Double? {
        state.withLock { state in
            state.breaker.failed(leftAt: leftAt, now: now) { min(2, 0.1 * $0) * Double.random(in: 0...1) }
        }
    }

    /// Changes wait from now on, if they did not before.
    func waits(now: Double) { state.withLock { $0.waitsSince = $0.waitsSince ?? now } }

    /// - Returns: how many seconds they waited; nil: they did not.
    func goesOn(now: Double) -> Double? {
        state.withLock { state in
            defer { state.waitsSince = nil }
            return state.waitsSince.map { max(0, now - $0) }
        }
    }

    func count(_ counted: DeviceCounts) { state.withLock { $0.counts += counted } }

    var counts: DeviceCounts { state.withLock { $0.counts } }
}

/// What a worker did with changes of devices.
public struct DeviceCounts: Sendable, Codable, Equatable {
    public var applied = 0
    /// Not sent, because a later one replaced them.
    public var superseded = 0
    public var refused = 0

    /// Those with a final result.
    public var ended: Int { applied + superseded + refused }

    public init() {}

    static func += (sum: inout DeviceCounts, more: DeviceCounts) {
        sum.applied += more.applied
        sum.superseded += more.superseded
        sum.refused += more.refused
    }
}
