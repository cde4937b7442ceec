import Synchronization

/// The faults that are set, and how far each has counted.
final class FaultScript: Sendable {
    private struct Line {
        let number: Int
        let fault: Fault
        /// Sends seen, by hub.
        var seen: [String: Int] = [:]
        var struck = 0
        var random: SeededGenerator
    }

    private struct State {
        var lines: [Line] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// - Returns: the fault's number, which the journal names.
    /// - Throws: what `Fault.check` throws.
    func add(_ fault: Fault) throws(EmulatorError) -> Int {
        try fault.check()
        return state.withLock { state in
            state.lastNumber += 1
            var seed: UInt64 = 0
            if case .probability(_, let given) = fault.moment { seed = given }
            state.lines.append(
                Line(number: state.lastNumber, fault: fault, random: SeededGenerator(seed: seed)))
            return state.lastNumber
        }
    }

    func clear() { state.withLock { $0.lines = [] } }

    /// The fault for the send that has just arrived. Every fault counts it; of several that strike, the one set first
    /// acts.
    ///
    /// - Parameter hub: the name of a hub that exists.
    func strike(hub: String) -> (number: Int, fault: Fault)? {
        state.withLock { state in
            var acting: Int?
            for index in state.lines.indices where Self.strikes(&state.lines[index], hub: hub) {
                acting = acting ?? index
            }
            guard let acting else { return nil }
            state.lines[acting].struck += 1
            return (state.lines[acting].number, state.lines[acting].fault)
        }
    }

    /// Every fault with how often it acted, in the order they were set.
    var all: [FaultReport] {
        state.withLock { state in
            state.lines.map { FaultReport(number: $0.number, struck: $0.struck, fault: $0.fault) }
        }
    }

    private static func strikes(_ line: inout Line, hub: String) -> Bool {
        guard line.fault.hub == nil || line.fault.hub?.lowercased() == hub.lowercased() else { return false }
        let seen = line.seen[hub, default: 0] + 1
        line.seen[hub] = seen
        switch line.fault.moment {
        case .nth(let number): return seen == number
        case .every(let number): return seen.isMultiple(of: number)
        case .next(let number): return seen <= number
        case .probability(let probability, _): return Double.random(in: 0..<1, using: &line.random) < probability
        }
    }
}

/// One fault that is set, and how often it acted.
public struct FaultReport: Sendable, Equatable, Codable {
    public var number: Int
    public var struck: Int
    public var fault: Fault
}
