import HubEmulator

/// What the hub saw of each recipient: its journal, read on as it grows.
struct CampaignJournal: Sendable {
    /// The sends that carried one recipient.
    struct Carried: Sendable, Equatable {
        /// All of them, refused ones too.
        var sends: Int32 = 0
        var taken: Int32 = 0
        /// One had another recipient's text.
        var isMixedUp = false
    }

    let audience: CampaignAudience
    /// By key; the first one is nobody's.
    private(set) var carried: [Carried]
    /// Recipients that were taken at least once.
    private(set) var reached = 0
    private(set) var sends = 0
    /// Tags that are nobody's, and sends without a tag: the first ten.
    private(set) var strange: [String] = []
    private(set) var strangeCount = 0
    /// The last entry that was read.
    private(set) var number = 0
    /// The hub had already forgotten some entries.
    private(set) var hasGap = false

    init(audience: CampaignAudience) {
        self.audience = audience
        carried = Array(repeating: Carried(), count: audience.count + 1)
    }

    /// - Parameter entries: what follows after `number`.
    mutating func read(_ entries: [JournalEntry]) {
        for entry in entries {
            if entry.number != number + 1 { hasGap = true }
            number = entry.number
            sends += 1
            let markers = entry.body.map { SendParser.markers(in: $0) }
            for tag in (entry.tags ?? "").split(separator: " || ", omittingEmptySubsequences: false) {
                guard let key = audience.key(of: tag) else {
                    strangeCount += 1
                    if strange.count < 10 { strange.append("send \(entry.number): \(tag)") }
                    continue
                }
                carried[key].sends += 1
                if entry.taken { note(key) }
                if let markers, markers != Set([audience.marker(of: key)].compactMap(\.self)) {
                    carried[key].isMixedUp = true
                }
            }
        }
    }

    private mutating func note(_ key: Int) {
        if carried[key].taken == 0 { reached += 1 }
        carried[key].taken += 1
    }
}
