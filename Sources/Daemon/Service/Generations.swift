/// Which shifts there are, and which of them counts. Pure: decides whom to stop and when all is over.
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
    /// The settings asked for last, of shifts that may still work.
    private(set) var settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    var isEmpty: Bool { members.isEmpty }

    /// A shift with new settings, not yet working. One that was to come before it and has not begun is not needed any more.
    ///
    /// - Returns: its number, and how it is told to stop.
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

    /// Settings that no shift has to begin anew for.
    mutating func adopt(_ settings: Settings) {
        self.settings = settings
        if let newest = members.filter({ !$0.value.isLeaving }).keys.max() { members[newest]?.settings = settings }
    }

    /// A shift works: those before it are told to stop.
    ///
    /// - Returns: whether it is the one that counts now.
    mutating func began(_ id: Int) -> Bool {
        members[id]?.hasBegun = true
        guard members[id]?.isLeaving == false else { return false }
        for other in members.keys where other < id { leave(other) }
        return true
    }

    /// What the end of a shift means.
    enum Meaning: Equatable {
        /// It was told to.
        case expected
        /// It never worked, and the one before it goes on.
        case keptTheOld
        /// None is left that was not told to stop.
        case over
    }

    mutating func ended(_ id: Int) -> Meaning {
        guard let gone = members.removeValue(forKey: id), !gone.isLeaving else { return .expected }
        guard let newest = members.filter({ !$0.value.isLeaving }).max(by: { $0.key < $1.key }) else { return .over }
        settings = newest.value.settings
        return gone.hasBegun ? .expected : .keptTheOld
    }

    mutating func stopAll() { for id in members.keys { leave(id) } }

    private mutating func leave(_ id: Int) {
        members[id]?.isLeaving = true
        members[id]?.stop.happen()
    }
}
