import Store

/// Where a lane's next claim begins in `push.due`, and how much it takes. Pure.
struct ClaimCursor: Sendable {
    /// The contents a claim should hold at most, in bytes, estimated from the last claim: two claims of a thousand
    /// messages of 60 KB would be 120 MB.
    static let byteLimit = 8_000_000
    /// Messages of a claim while nothing is known about the contents.
    static let firstLimit = 100

    var dueCursor = DueCursor()
    /// Claims in a row that the database refused.
    private(set) var faults = 0
    /// `dispatch.batch`.
    private let batch: Int
    private var most: Int
    /// Bytes of one content, in the last claim.
    private var contentBytes = 0

    init(batch: Int) {
        self.batch = batch
        most = min(batch, Self.firstLimit)
    }

    /// Messages to claim at most.
    var limit: Int { min(most, contentBytes == 0 ? most : max(1, Self.byteLimit / contentBytes)) }

    /// - Parameter claim: nil: nothing was due.
    mutating func claimed(_ claim: Claim?) {
        most = min(most * 2, batch)
        guard let claim, !claim.messages.isEmpty else { return }
        contentBytes = claim.messages.reduce(0) { $0 + $1.content.utf8.count } / claim.messages.count
    }

    mutating func resetFaults() { faults = 0 }

    /// The database refused a claim.
    ///
    /// - Parameter isTooLong: it took too long: a `statement_timeout` that is too short for a thousand messages may do for
    ///   fewer.
    mutating func failed(isTooLong: Bool) {
        faults += 1
        if isTooLong { most = max(1, most / 4) }
    }
}
