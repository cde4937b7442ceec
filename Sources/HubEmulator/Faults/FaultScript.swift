import PushModel
import Synchronization

/// The faults that are set, with their counters.
final class FaultScript: Sendable {
    /// Which faults are asked. A tag stands in the body of a send to FCM, and is known later than its head.
    enum Part: Sendable {
        case all, withTag, withoutTag
    }

    /// The effect of all faults on one request.
    struct Strike: Sendable {
        /// The number of the fault that acts on the response, or else of the first one that acts. nil: none acts.
        var number: Int?
        /// The fault that acts on the response.
        var fault: Fault?
        var delayMilliseconds = 0
        /// Seconds until the rate limit that was hit allows the next request.
        var waitSeconds: Double?
        var effects = FaultEffects()

        /// With what other faults add. What stands here already wins.
        func merged(with other: Strike) -> Strike {
            var merged = self
            if fault == nil {
                merged.fault = other.fault
                merged.delayMilliseconds = other.delayMilliseconds
                merged.waitSeconds = other.waitSeconds
                merged.number = other.fault == nil ? number ?? other.number : other.number
            }
            _ = merged.effects.add(other.effects)
            return merged
        }
    }

    private struct ActiveFault {
        let number: Int
        let fault: Fault
        let hub: String?
        let tag: String?
        /// Matching requests, by hub.
        var seen: [String: Int] = [:]
        var buckets: [String: TokenBucket] = [:]
        var struck = 0
        var random: SeededRandom
    }

    private struct State {
        var faults: [ActiveFault] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The most faults that can be set at a time; every request is checked against all of them.
    static let limit = 1_000

    /// - Returns: the fault's number, which journal entries name.
    /// - Throws: what `Fault.check` throws, and when there are too many.
    func add(_ fault: Fault) throws(EmulatorError) -> Int { try add([fault])[0] }

    /// Adds all of them, or none when one is invalid.
    func add(_ faults: [Fault]) throws(EmulatorError) -> [Int] {
        for fault in faults { try fault.check() }
        return try state.withLock { state throws(EmulatorError) in
            guard state.faults.count + faults.count <= Self.limit else {
                throw EmulatorError("no more than \(Self.limit) faults can be set")
            }
            return faults.map { fault in
                state.lastNumber += 1
                var seed = fault.seed
                if case .probability(_, let given) = fault.moment { seed = given }
                state.faults.append(
                    ActiveFault(
                        number: state.lastNumber, fault: fault, hub: fault.hub?.lowercased(),
                        tag: fault.tag?.lowercased(), random: SeededRandom(seed: seed)))
                return state.lastNumber
            }
        }
    }

    func clear() { state.withLock { $0.faults = [] } }

    /// - Returns: whether there was a fault with this number.
    func remove(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.faults.firstIndex(where: { $0.number == number }) else { return false }
            state.faults.remove(at: index)
            return true
        }
    }

    /// The effect on a request that has just arrived. Every fault that matches the request counts it. When several strike
    /// and change the response, the one set first acts; a skewed clock and rotated keys apply in addition.
    ///
    /// - Parameters:
    ///   - hub: the name of an existing hub.
    ///   - now: seconds since 1970.
    func strike(_ request: EmulatorRequest, hub: String, now: Double) -> Strike {
        state.withLock { state in
            guard !state.faults.isEmpty, let operation = Fault.Operation(request) else { return Strike() }
            return Self.strike(
                &state.faults, operation, .all, isSend: SendKind.isSend(request), tags: request[.tags], hub: hub,
                now: now)
        }
    }

    /// As above, for a request that is not one of a notification hub.
    ///
    /// - Parameter tags: those of its audience, divided by blanks.
    func strike(
        _ operation: Fault.Operation, _ part: Part, isSend: Bool, tags: String?, hub: String, now: Double
    ) -> Strike {
        state.withLock { state in
            guard !state.faults.isEmpty else { return Strike() }
            return Self.strike(&state.faults, operation, part, isSend: isSend, tags: tags, hub: hub, now: now)
        }
    }

    /// Whether a fault that is set names a tag.
    var hasTags: Bool { state.withLock { $0.faults.contains { $0.tag != nil } } }

    private static func strike(
        _ faults: inout [ActiveFault], _ operation: Fault.Operation, _ part: Part, isSend: Bool, tags: String?,
        hub: String, now: Double
    ) -> Strike {
        var strike = Strike()
        let folded = hub.lowercased()
        for index in faults.indices {
            guard part == .all || (part == .withTag) == (faults[index].tag != nil) else { continue }
            guard matches(faults[index], operation, isSend: isSend, tags, hub: folded) else { continue }
            var wait: Double?
            guard strikes(&faults[index], hub: folded, now: now, &wait) else { continue }
            let fault = faults[index].fault
            var acts = false
            if fault.touchesAnswer, strike.fault == nil {
                acts = true
                strike.fault = fault
                strike.number = faults[index].number
                strike.waitSeconds = wait
                strike.delayMilliseconds = delay(of: fault, &faults[index].random)
            }
            if strike.effects.add(FaultEffects(fault)) { acts = true }
            if acts {
                faults[index].struck += 1
                strike.number = strike.number ?? faults[index].number
            }
        }
        return strike
    }

    /// All faults with how often each acted, in the order they were set.
    var all: [FaultReport] {
        state.withLock { state in
            state.faults.map { FaultReport(number: $0.number, struck: $0.struck, fault: $0.fault) }
        }
    }

    private static func matches(
        _ fault: ActiveFault, _ operation: Fault.Operation, isSend: Bool, _ tags: String?, hub: String
    ) -> Bool {
        if let faultHub = fault.hub, faultHub != hub { return false }
        let operations = fault.fault.operations
        // A key that was changed is changed for every request that signs with it.
        let isForAll = fault.fault.rotated != nil && !fault.fault.touchesAnswer && fault.tag == nil
        guard operations.isEmpty ? isSend || isForAll : operations.contains(operation) else { return false }
        guard let tag = fault.tag else { return true }
        return (tags ?? "").lowercased().split { " ()!&|".contains($0) }.contains { $0 == tag }
    }

    private static func strikes(_ fault: inout ActiveFault, hub: String, now: Double, _ wait: inout Double?) -> Bool {
        let seen = fault.seen[hub, default: 0] + 1
        fault.seen[hub] = seen
        switch fault.fault.moment {
        case .nth(let number): return seen == number
        case .every(let number): return seen.isMultiple(of: number)
        case .next(let number): return seen <= number
        case .probability(let probability, _): return Double.random(in: 0..<1, using: &fault.random) < probability
        case .beyond(let rate, let burst):
            wait = fault.buckets[hub, default: TokenBucket(rate: rate, burst: burst)].take(now: now)
            return wait != nil
        }
    }

    private static func delay(of fault: Fault, _ random: inout SeededRandom) -> Int {
        let longest = fault.delayUpToMilliseconds
        guard longest > fault.delayMilliseconds else { return fault.delayMilliseconds }
        return Int.random(in: fault.delayMilliseconds...longest, using: &random)
    }
}

/// How faults change the hub itself or the connection for one request, rather than its response.
struct FaultEffects: Sendable, Equatable {
    /// Added to the clock that dates the response and checks the token.
    var skewSeconds = 0.0
    /// Keys that no longer match those of the senders. nil: all match.
    var rotated: Fault.Keys?
    /// The reason of a GOAWAY.
    var goAway: String?
    /// MAX_CONCURRENT_STREAMS from now on.
    var streams: Int?
    var ignoresPings = false
    /// The token of the request counts as too old from now on.
    var endsToken = false

    init() {}

    init(_ fault: Fault) {
        skewSeconds = fault.skewSeconds
        rotated = fault.rotated
        goAway = fault.goAway
        streams = fault.streams
        ignoresPings = fault.ignoresPings
        endsToken = fault.endsToken
    }

    /// With the effects of another fault. What stands here already wins.
    ///
    /// - Returns: whether the other one adds something.
    mutating func add(_ other: FaultEffects) -> Bool {
        let before = self
        if skewSeconds == 0 { skewSeconds = other.skewSeconds }
        if rotated != .both { rotated = other.rotated ?? rotated }
        goAway = goAway ?? other.goAway
        streams = streams ?? other.streams
        ignoresPings = ignoresPings || other.ignoresPings
        endsToken = endsToken || other.endsToken
        return self != before
    }
}

/// One fault that is set, and how often it acted.
public struct FaultReport: Sendable, Equatable, Codable {
    public var number: Int
    public var struck: Int
    public var fault: Fault
}
