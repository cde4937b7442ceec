import Synchronization

/// The faults that are set, and how far each has counted.
final class FaultScript: Sendable {
    /// What the faults make of one call.
    struct Strike: Sendable {
        /// Of the fault that acts on the answer, or else the first one that acts at all; nil: none does.
        var number: Int?
        /// The fault that acts on the answer.
        var fault: Fault?
        var delayMilliseconds = 0
        /// Until a call would pass the rate limit that was hit.
        var waitSeconds: Double?
        var distortion = FaultEffects()
    }

    private struct Line {
        let number: Int
        let fault: Fault
        let hub: String?
        let tag: String?
        /// Calls seen, by hub.
        var seen: [String: Int] = [:]
        var buckets: [String: TokenBucket] = [:]
        var struck = 0
        var random: SeededRandom
    }

    private struct State {
        var lines: [Line] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Faults that can be set at a time; every call meets them all.
    static let limit = 1_000

    /// - Returns: the fault's number, which the journal names.
    /// - Throws: what `Fault.check` throws, and when there are too many.
    func add(_ fault: Fault) throws(EmulatorError) -> Int { try add([fault])[0] }

    /// All of them or, when one is refused, none.
    func add(_ faults: [Fault]) throws(EmulatorError) -> [Int] {
        for fault in faults { try fault.check() }
        return try state.withLock { state throws(EmulatorError) in
            guard state.lines.count + faults.count <= Self.limit else {
                throw EmulatorError("no more than \(Self.limit) faults can be set")
            }
            return faults.map { fault in
                state.lastNumber += 1
                var seed = fault.seed
                if case .probability(_, let given) = fault.moment { seed = given }
                state.lines.append(
                    Line(
                        number: state.lastNumber, fault: fault, hub: fault.hub?.lowercased(),
                        tag: fault.tag?.lowercased(), random: SeededRandom(seed: seed)))
                return state.lastNumber
            }
        }
    }

    func clear() { state.withLock { $0.lines = [] } }

    /// - Returns: false: there is none of that number.
    func remove(_ number: Int) -> Bool {
        state.withLock { state in
            guard let index = state.lines.firstIndex(where: { $0.number == number }) else { return false }
            state.lines.remove(at: index)
            return true
        }
    }

    /// What happens to the call that has just arrived. Every fault that is meant for it counts it. Of several that
    /// strike and touch the answer the one set first acts; a skewed clock and changed keys come on top.
    ///
    /// - Parameters:
    ///   - hub: the name of a hub that exists.
    ///   - now: seconds since 1970.
    func strike(_ call: EmulatorRequest, hub: String, now: Double) -> Strike {
        state.withLock { state in
            guard !state.lines.isEmpty, let operation = Fault.Operation(call) else { return Strike() }
            return Self.strike(
                &state.lines, operation, isSend: SendKind.isSend(call), tags: call[.tags], hub: hub, now: now)
        }
    }

    private static func strike(
        _ lines: inout [Line], _ operation: Fault.Operation, isSend: Bool, tags: String?, hub: String, now: Double
    ) -> Strike {
        var strike = Strike()
        let folded = hub.lowercased()
        for index in lines.indices {
            guard isMeant(lines[index], operation, isSend: isSend, tags, hub: folded) else { continue }
            var wait: Double?
            guard strikes(&lines[index], hub: folded, now: now, &wait) else { continue }
            let fault = lines[index].fault
            var acts = false
            if fault.touchesAnswer, strike.fault == nil {
                acts = true
                strike.fault = fault
                strike.number = lines[index].number
                strike.waitSeconds = wait
                strike.delayMilliseconds = delay(of: fault, &lines[index].random)
            }
            if fault.skewSeconds != 0, strike.distortion.skewSeconds == 0 {
                acts = true
                strike.distortion.skewSeconds = fault.skewSeconds
            }
            if let rotated = fault.rotated, strike.distortion.rotated != .both {
                acts = true
                strike.distortion.rotated = rotated
            }
            if acts {
                lines[index].struck += 1
                strike.number = strike.number ?? lines[index].number
            }
        }
        return strike
    }

    /// Every fault with how often it acted, in the order they were set.
    var all: [FaultReport] {
        state.withLock { state in
            state.lines.map { FaultReport(number: $0.number, struck: $0.struck, fault: $0.fault) }
        }
    }

    private static func isMeant(
        _ line: Line, _ operation: Fault.Operation, isSend: Bool, _ tags: String?, hub: String
    ) -> Bool {
        if let wanted = line.hub, wanted != hub { return false }
        let operations = line.fault.operations
        guard operations.isEmpty ? isSend : operations.contains(operation) else { return false }
        guard let tag = line.tag else { return true }
        return (tags ?? "").lowercased().split { " ()!&|".contains($0) }.contains { $0 == tag }
    }

    private static func strikes(_ line: inout Line, hub: String, now: Double, _ wait: inout Double?) -> Bool {
        let seen = line.seen[hub, default: 0] + 1
        line.seen[hub] = seen
        switch line.fault.moment {
        case .nth(let number): return seen == number
        case .every(let number): return seen.isMultiple(of: number)
        case .next(let number): return seen <= number
        case .probability(let probability, _): return Double.random(in: 0..<1, using: &line.random) < probability
        case .beyond(let rate, let burst):
            wait = line.buckets[hub, default: TokenBucket(rate: rate, burst: burst)].take(now: now)
            return wait != nil
        }
    }

    private static func delay(of fault: Fault, _ random: inout SeededRandom) -> Int {
        let longest = fault.delayUpToMilliseconds
        guard longest > fault.delayMilliseconds else { return fault.delayMilliseconds }
        return Int.random(in: fault.delayMilliseconds...longest, using: &random)
    }
}

/// One fault that is set, and how often it acted.
public struct FaultReport: Sendable, Equatable, Codable {
    public var number: Int
    public var struck: Int
    public var fault: Fault
}
