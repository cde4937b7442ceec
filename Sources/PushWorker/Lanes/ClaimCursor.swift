import Store

/// Where a lane goes on in `push.due`, and how much it takes at once. Pure.
struct ClaimCursor: Sendable {
    /// Bytes of contents that a claim holds at most, as far as the last one tells: two claims of a thousand messages of
    /// 60 KB would be 120 MB.
    static let bytes = 8_000_000
    /// Before anything is known about the contents.
    static let first = 100

    var walk = DueCursor()
    /// Claims in a row that the database refused.
    private(set) var faults = 0
    /// `dispatch.batch`.
    private let batch: Int
    private var most: Int
    /// Bytes of one content, in the last claim.
    private var size = 0

    init(batch: Int) {
        self.batch = batch
        most = min(batch, Self.first)
    }

    /// Messages to claim at most.
    var limit: Int { min(most, size == 0 ? most : max(1, Self.bytes / size)) }

    /// - Parameter claim: nil: there was nothing.
    mutating func took(_ claim: Claim?) {
        most = min(most * 2, batch)
        guard let claim, !claim.messages.isEmpty else { return }
        size = claim.messages.reduce(0) { $0 + $1.content.utf8.count } / claim.messages.count
    }

    mutating func rested() { faults = 0 }

    /// The database refused a claim.
    ///
    /// - Parameter isTooLong: a `statement_timeout` too short for a thousand messages may do for fewer.
    mutating func failed(isTooLong: Bool) {
        faults += 1
        if isTooLong { most = max(1, most / 4) }
    }
}
