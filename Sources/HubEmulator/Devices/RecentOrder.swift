/// Who was active, the latest one first. Noting somebody costs the same however many there are.
struct RecentOrder<Key: Hashable & Sendable>: Sendable {
    /// Oldest first. Whoever was active again is in it twice; only the place with their latest stamp counts.
    private var notes: [(stamp: Int, key: Key)] = []
    private var latest: [Key: Int] = [:]

    var count: Int { latest.count }

    /// - Parameter stamp: greater than every stamp before.
    mutating func note(_ key: Key, _ stamp: Int) {
        latest[key] = stamp
        notes.append((stamp, key))
        // Half of the notes are stale by now, so clearing them out has been paid for by as many calls.
        if notes.count > 2 * latest.count + 1_024 { notes.removeAll { latest[$0.key] != $0.stamp } }
    }

    mutating func forget(_ key: Key) { latest[key] = nil }

    func stamp(of key: Key) -> Int? { latest[key] }

    /// The first `limit` that fulfil the condition, latest first.
    func newest(_ limit: Int, where isWanted: (Key) -> Bool = { _ in true }) -> [(stamp: Int, key: Key)] {
        var found: [(stamp: Int, key: Key)] = []
        for note in notes.reversed() where latest[note.key] == note.stamp {
            if found.count >= limit { break }
            if isWanted(note.key) { found.append(note) }
        }
        return found
    }
}
