/// Counts since the start or the last clearing, including entries that are no longer kept.
public struct JournalCount: Sendable, Equatable, Codable {
    /// Sends that the hubs took.
    public var taken = 0
    /// Sends that were not taken, with or without a response.
    public var refused = 0
    /// Pushes that reached a device's inbox.
    public var shown = 0
    /// Responses by status; `0` counts connections closed without a response.
    public var statuses: [Int: Int] = [:]

    mutating func add(_ entry: JournalEntry) {
        // It was counted when it was taken; only its pushes are new.
        if entry.kind == .due { return shown += entry.reached }
        if entry.taken { taken += 1 } else { refused += 1 }
        shown += entry.reached
        statuses[entry.status ?? 0, default: 0] += 1
    }
}
