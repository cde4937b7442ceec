import PushModel
import Store

/// Where a lane's next claim begins in `push.due`, and how much it takes. Pure.
struct ClaimCursor: Sendable {
    /// Bytes of contents and handles a claim holds at most. The claim itself keeps to it; this guess from the last claim
    /// only saves it from locking pointers that it leaves behind.
    static let byteLimit = 8_000_000
    /// Messages of a claim while nothing is known about their size.
    static let firstLimit = 100

    var dueCursor = DueCursor()
    /// Whether the last claim found nothing due.
    private(set) var isAtEnd = false
    /// Claims in a row that the database refused.
    private(set) var faults = 0
    /// `dispatch.batch`.
    private let batch: Int
    private var most: Int
    /// Bytes of one message, in the last claim.
    private var messageBytes = 0

    init(batch: Int) {
        self.batch = batch
        most = min(batch, Self.firstLimit)
    }

    /// Messages to claim at most.
    var limit: Int { min(most, messageBytes == 0 ? most : max(1, Self.byteLimit / messageBytes)) }

    /// - Parameter claim: nil: nothing was due.
    mutating func claimed(_ claim: Claim?) {
        isAtEnd = claim == nil
        faults = 0
        most = min(most * 2, batch)
        guard let claim, !claim.messages.isEmpty else { return }
        messageBytes = claim.messages.reduce(0) { $0 + $1.bytes } / claim.messages.count
    }

    /// Something may be due.
    mutating func begin() { isAtEnd = false }

    /// The database refused a claim.
    ///
    /// - Parameter isTooLong: it took too long: a `statement_timeout` that is too short for a thousand messages may do for
    ///   fewer.
    mutating func failed(isTooLong: Bool) {
        faults += 1
        if isTooLong { most = max(1, most / 4) }
    }
}

extension Message {
    /// Of content and handles.
    fileprivate var bytes: Int {
        guard case .handles(let handles) = target else { return content.utf8.count }
        return content.utf8.count + handles.reduce(0) { $0 + $1.utf8.count }
    }
}
