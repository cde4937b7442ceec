import HubEmulator

/// Which of the messages `user:1` to `user:<count>` a hub has taken, and how often: a bit for each, however many.
struct DeliveryBitmap: Sendable {
    let count: Int
    private var seen: [UInt64]
    /// Different messages that were taken.
    private(set) var taken = 0
    /// Taken once more than once.
    private(set) var twice = 0
    /// Sends that were none of these messages.
    private(set) var strange = 0
    /// Sends that were refused or not answered.
    private(set) var refused = 0
    /// The journal had already forgotten some entries: nothing can be said.
    private(set) var hasGap = false
    /// The last entry that was read.
    private(set) var number: Int

    /// - Parameter number: the journal entry after which they begin.
    init(count: Int, after number: Int) {
        self.count = count
        self.number = number
        seen = Array(repeating: 0, count: count / 64 + 1)
    }

    var missing: Int { count - taken }

    /// - Parameter entries: what follows after `number`.
    mutating func read(_ entries: [JournalEntry]) {
        for entry in entries {
            if entry.number != number + 1 { hasGap = true }
            number = entry.number
            guard entry.taken, entry.status == 201 else {
                refused += 1
                continue
            }
            let users = (entry.tags ?? "").split(separator: " || ", omittingEmptySubsequences: false)
            for user in users { note(user) }
        }
    }

    private mutating func note(_ tag: Substring) {
        guard tag.hasPrefix("user:"), let user = Int(tag.dropFirst(5)), (1...count).contains(user) else {
            strange += 1
            return
        }
        let bit = UInt64(1) << UInt64(user % 64)
        if seen[user / 64] & bit == 0 { taken += 1 } else { twice += 1 }
        seen[user / 64] |= bit
    }
}
