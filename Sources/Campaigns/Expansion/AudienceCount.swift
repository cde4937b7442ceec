/// Whether a stream makes more messages than its audience has rows, which happens when rows are read twice: the view
/// gives them other keys each time it is read, or its keys are not in order. Such a run would have no end. Pure.
///
/// A count takes as long as reading that many rows, so it comes only when more were made than was expected, and then
/// when they have doubled: in all at most twice the audience.
struct AudienceCount: Sendable, Equatable {
    /// Messages of a stream below which nothing is counted.
    static let least: Int64 = 10_000

    /// Messages made when it was counted last; 0: never.
    private var counted: Int64 = 0

    /// - Parameters:
    ///   - made: messages of the stream.
    ///   - limit: `Runs.Stream.countAt`.
    func isDue(made: Int64, limit: Int64) -> Bool {
        made > max(Self.least, limit, 2 * counted)
    }

    /// - Parameter rows: of the audience, counted up to `made`; nil: unknown.
    /// - Returns: why the run pauses; nil: it goes on.
    mutating func fault(made: Int64, rows: Int64?) -> String? {
        counted = made
        guard let rows, rows < made else { return nil }
        return "stopped itself: it made \(made) messages, and its audience has \(rows) rows. Either the keys of the "
            + "view change while it is read or are not in order, so that rows are read twice, or rows have left it since. "
            + "fanfare campaign results shows who has two messages; fanfare campaign resume goes on"
    }
}
