/// What the journal has counted since the start or the last clearing, also for entries it no longer keeps.
public struct JournalCount: Sendable, Equatable, Codable {
    /// Sends the hubs took.
    public var taken = 0
    /// Sends that were not taken, answered or not.
    public var refused = 0
    /// Pushes that reached a device's inbox.
    public var shown = 0
    /// How often every status was answered; `0` counts connections closed without an answer.
    public var statuses: [Int: Int] = [:]

    mutating func add(_ entry: JournalEntry) {
        // Counted when it was taken; only now it shows.
        if entry.kind == .due { return shown += entry.reached }
        if entry.taken { taken += 1 } else { refused += 1 }
        shown += entry.reached
        statuses[entry.status ?? 0, default: 0] += 1
    }
}
