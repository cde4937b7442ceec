/// How often in a row the page of a stream met another transaction that changed the same (40001).
/// A person who pauses or cancels a run makes one; a view whose function raises the same code makes one each time, and its run
/// would stand still without a word. Pure.
struct PageConflicts: Sendable, Equatable {
    /// Pages tried in vain before it is the view's fault: with `Expander.pause` between them, some seconds.
    static let most = 30

    private var inARow: [Int64: Int] = [:]

    /// - Returns: whether it is the view's fault.
    mutating func met(_ stream: Int64) -> Bool {
        inARow[stream, default: 0] += 1
        return inARow[stream, default: 0] >= Self.most
    }

    mutating func passed(_ stream: Int64) { inARow[stream] = nil }

    /// Forgets the streams that are not there any more.
    mutating func keep(_ streams: Set<Int64>) { inARow = inARow.filter { streams.contains($0.key) } }
}
