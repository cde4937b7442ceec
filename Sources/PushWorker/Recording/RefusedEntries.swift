import Postgres
import Store

/// Entries that the database refused although they stood alone, each written again by itself, so that they keep no others
/// waiting. Pure.
///
/// After some tries an entry is given up. Its claim is not finished then: as a stray it is rescued, so that a message which
/// may have left ends in doubt and all others are due again.
struct RefusedEntries {
    struct Entry {
        /// One answer or one message, without texts.
        var completion: Completion
        var tries = 1
        /// Monotonic seconds.
        var tryAt: Double

        var claim: Int64 { completion.answered.first.map { Claim.of(post: $0.post) } ?? completion.left[0].claim }
    }

    static let mostTries = 5

    private(set) var entries: [Entry] = []
    /// Claims that were finished while an entry of theirs was not recorded.
    private var finished: [Int64] = []
    /// Claims of which an entry was given up.
    private var damaged: Set<Int64> = []

    var isEmpty: Bool { entries.isEmpty }

    /// When the next entry may be tried, in monotonic seconds; nil: no entry waits.
    var nextTry: Double? { entries.lazy.map(\.tryAt).min() }

    /// - Parameter completion: one entry, and no claims to finish.
    mutating func add(_ completion: Completion, tryAt: Double) {
        entries.append(Entry(completion: completion, tryAt: tryAt))
    }

    /// Takes out an entry that may be tried now.
    mutating func takeDue(now: Double) -> Entry? {
        entries.firstIndex { $0.tryAt <= now }.map { entries.remove(at: $0) }
    }

    /// An entry was refused again.
    ///
    /// - Returns: whether it is to be given up now.
    mutating func refused(_ entry: Entry, tryAt: Double) -> Bool {
        var entry = entry
        entry.tries += 1
        if entry.tries >= Self.mostTries { return true }
        entry.tryAt = tryAt
        entries.append(entry)
        return false
    }

    /// This fault says nothing about the entry: the database could not be asked.
    mutating func postpone(_ entry: Entry, tryAt: Double) {
        var entry = entry
        entry.tryAt = tryAt
        entries.append(entry)
    }

    mutating func givenUp(_ entry: Entry) { damaged.insert(entry.claim) }

    /// Of claims that would be finished now: those that can be. The others wait for their entries.
    mutating func finishable(_ claims: [Int64]) -> (now: [Int64], asStrays: [Int64]) {
        if entries.isEmpty, finished.isEmpty, damaged.isEmpty { return (claims, []) }
        let open = Set(entries.map(\.claim))
        var (now, strays): ([Int64], [Int64]) = ([], [])
        let waited = finished
        finished = []
        for claim in waited + claims {
            if open.contains(claim) {
                finished.append(claim)
            } else if damaged.remove(claim) != nil {
                strays.append(claim)
            } else {
                now.append(claim)
            }
        }
        return (now, strays)
    }
}

extension DatabaseError {
    /// Whether the database refused a value, and not the statement, its author or its moment: the other values of the
    /// statement may be fine. Classes: data, integrity, program limits, what is not supported, raised, internal.
    var isAboutValues: Bool {
        guard !isTransient, let sqlState else { return false }
        return ["22", "23", "54", "0A", "P0", "XX"].contains(sqlState.prefix(2))
    }
}
