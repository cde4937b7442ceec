/// Keys in the order of their last activity, newest first. `note` takes constant time.
struct RecentOrder<Key: Hashable & Sendable>: Sendable {
    /// Keys that are certainly kept: the oldest are forgotten when there are more than twice as many and 1,024 more.
    private let limit: Int
    /// Oldest first. A key may occur several times; only the note with its latest stamp counts.
    private var notes: [(stamp: Int, key: Key)] = []
    private var latest: [Key: Int] = [:]

    /// - Parameter limit: at least 1.
    init(limit: Int = .max) { self.limit = max(1, limit) }

    var count: Int { latest.count }

    /// - Parameter stamp: greater than every stamp before.
    mutating func note(_ key: Key, _ stamp: Int) {
        latest[key] = stamp
        notes.append((stamp, key))
        // Half of the notes are stale or beyond the limit, so removing them is paid for by that many calls.
        if notes.count > 2 * min(latest.count, limit) + 1_024 { removeStaleNotes() }
    }

    private mutating func removeStaleNotes() {
        notes.removeAll { latest[$0.key] != $0.stamp }
        guard notes.count > limit else { return }
        for note in notes.dropLast(limit) { latest[note.key] = nil }
        notes.removeFirst(notes.count - limit)
    }

    mutating func forget(_ key: Key) { latest[key] = nil }

    func stamp(of key: Key) -> Int? { latest[key] }

    /// The newest `limit` keys that fulfil the condition, newest first.
    func newest(_ limit: Int, where isWanted: (Key) -> Bool = { _ in true }) -> [(stamp: Int, key: Key)] {
        var found: [(stamp: Int, key: Key)] = []
        for note in notes.reversed() where latest[note.key] == note.stamp {
            if found.count >= limit { break }
            if isWanted(note.key) { found.append(note) }
        }
        return found
    }
}
