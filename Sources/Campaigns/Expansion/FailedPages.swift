/// How often in a row the page of a stream failed with an error that its view, or what it reads, marks as transient. If
/// that error never passed, the run would stand still silently. Pure.
struct FailedPages: Sendable, Equatable {
    /// Pages tried in vain before a person has to fix it: with `Expander.pause` between them, some seconds.
    static let most = 30

    private var inARow: [Int64: Int] = [:]

    /// - Returns: whether a person has to fix it.
    mutating func failed(_ stream: Int64) -> Bool {
        inARow[stream, default: 0] += 1
        return inARow[stream, default: 0] >= Self.most
    }

    mutating func passed(_ stream: Int64) { inARow[stream] = nil }

    /// Forgets the streams that are not there any more.
    mutating func keep(_ streams: Set<Int64>) { inARow = inARow.filter { streams.contains($0.key) } }
}
