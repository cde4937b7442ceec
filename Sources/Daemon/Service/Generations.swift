import Concurrency
import Configuration

/// The generations of a service, and which of them counts. Pure: decides which one stops, and when the service is over.
struct Generations {
    private struct Member {
        var settings: Settings
        let stop: Latch
        var hasBegun = false
        var isLeaving = false
        var isWorking: Bool { hasBegun && !isLeaving }
    }

    private var members: [Int: Member] = [:]
    private var last = 0
    /// The newest settings, of generations that may still work.
    private(set) var settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    var isEmpty: Bool { members.isEmpty }

    /// Adds a generation that does not work yet. While another one works, older ones that never began are stopped.
    ///
    /// - Returns: its number, and the latch that stops it.
    mutating func add(_ settings: Settings) -> (id: Int, stop: Latch) {
        if members.values.contains(where: \.isWorking) {
            for (id, member) in members where !member.hasBegun { leave(id) }
        }
        last += 1
        let stop = Latch()
        members[last] = Member(settings: settings, stop: stop)
        self.settings = settings
        return (last, stop)
    }

    /// Takes settings that need no new generation.
    mutating func adopt(_ settings: Settings) {
        self.settings = settings
        if let newest = members.filter({ !$0.value.isLeaving }).keys.max() { members[newest]?.settings = settings }
    }

    /// Notes that a generation works, and stops the older ones.
    ///
    /// - Returns: whether it counts now; false when it was stopped meanwhile.
    mutating func began(_ id: Int) -> Bool {
        members[id]?.hasBegun = true
        guard members[id]?.isLeaving == false else { return false }
        for other in members.keys where other < id { leave(other) }
        return true
    }

    /// What the end of a generation means.
    enum Ending: Equatable {
        /// It was stopped, or a newer one works.
        case expected
        /// It never worked, and the one before it goes on.
        case keptOld
        /// It was the last one that was not stopped.
        case over
    }

    mutating func ended(_ id: Int) -> Ending {
        guard let ended = members.removeValue(forKey: id), !ended.isLeaving else { return .expected }
        guard let newest = members.filter({ !$0.value.isLeaving }).max(by: { $0.key < $1.key }) else { return .over }
        settings = newest.value.settings
        return ended.hasBegun ? .expected : .keptOld
    }

    mutating func stopAll() { for id in members.keys { leave(id) } }

    private mutating func leave(_ id: Int) {
        members[id]?.isLeaving = true
        members[id]?.stop.happen()
    }
}
