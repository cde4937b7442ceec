import Postgres
import PushModel

/// Intents: posts are written before their first byte leaves.
extension Queue {
    /// Writes the posts that are about to leave. Committed when it returns, and so before the first byte leaves.
    ///
    /// - Parameters:
    ///   - posts: with their numbers in the claim.
    ///   - waits: whether it waits for up to two seconds when another session holds the claim.
    /// - Returns: what may leave now; nil when the claim was rescued: post nothing of it.
    public func intend(
        _ posts: ArraySlice<(n: Int, post: Post)>, under claim: Int64, waits: Bool = true
    ) async throws(DatabaseError) -> Intent? {
        var columns = PostColumns()
        for (_, post) in posts { columns.append(post) }
        do throws(DatabaseError) {
            return try await write(claim, posts.map { Int32($0.n) }, columns, waits: waits)
        } catch  where error.is(.lockNotAvailable) {
            return Intent(written: [], cancelled: [], isHeld: true)
        } catch  where error.is(.uniqueViolation) {
            return Intent(written: [], cancelled: [], clash: error.description)
        }
    }

    private func write(
        _ claim: Int64, _ numbers: [Int32], _ columns: PostColumns, waits: Bool
    ) async throws(DatabaseError) -> Intent? {
        try await database.query(
            """
            SELECT alive, busy, written, cancelled
              FROM push_worker.intent_v1(
                \(claim), \(worker.number), \(worker.epoch), \(numbers), \(columns.first), \(columns.last), \(columns.ids),
                \(columns.targets), \(columns.sizes), \(waits))
            """, doing: "write an intent"
        ) { rows in
            try rows.first { row in
                let (isAlive, isBusy) = (try row.bool(), try row.bool())
                guard isAlive else {
                    row.skipRest()
                    return isBusy ? Intent(written: [], cancelled: [], isHeld: true) : nil
                }
                return Intent(
                    written: Set(try row.int32Array().map(Int.init)), cancelled: Set(try row.int64Array()))
            } ?? nil
        }
    }

    /// Writes posts of several claims with one statement, and never waits for a claim that another session holds.
    ///
    /// - Parameter portions: of different claims; at least one.
    /// - Returns: what may leave now, in the order of the portions. A claim that another session holds is `isHeld`: nothing
    ///   of it was written.
    /// - Throws: `DatabaseError`, with `uniqueViolation` when one of the posts of several claims was written for other
    ///   messages; then nothing was written.
    public func intend(_ portions: [IntentPortion]) async throws(DatabaseError) -> [Intent?] {
        if portions.count == 1 {  // a statement of its own, which takes a tenth less of the server's CPU
            return [try await intend(portions[0].posts[...], under: portions[0].claim, waits: false)]
        }
        var posts: [Int64] = []
        var columns = PostColumns()
        for portion in portions {
            for (n, post) in portion.posts {
                posts.append(Claim.post(n, of: portion.claim))
                columns.append(post)
            }
        }
        let fates = try await database.query(
            """
            SELECT alive, busy, cancelled
              FROM push_worker.intents_v1(
                \(worker.number), \(worker.epoch), \(portions.map(\.claim)), \(posts), \(columns.first), \(columns.last),
                \(columns.ids), \(columns.targets), \(columns.sizes))
            """, doing: "write intents"
        ) { rows in
            try rows.first { row in
                ClaimFates(
                    alive: Set(try row.int64Array()), busy: Set(try row.int64Array()),
                    cancelled: Set(try row.int64Array()))
            } ?? ClaimFates()
        }
        return portions.map { portion in
            if fates.busy.contains(portion.claim) { return Intent(written: [], cancelled: [], isHeld: true) }
            guard fates.alive.contains(portion.claim) else { return nil }
            let leaving = portion.posts.filter { fates.cancelled.isDisjoint(with: $0.post.messages) }
            return Intent(written: Set(leaving.map(\.n)), cancelled: fates.cancelled)
        }
    }
}

/// Posts of one claim that are about to leave, with their numbers in it.
public struct IntentPortion: Sendable {
    public let claim: Int64
    public let posts: [(n: Int, post: Post)]

    public init(claim: Int64, posts: [(n: Int, post: Post)]) {
        self.claim = claim
        self.posts = posts
    }
}

private struct ClaimFates {
    var alive: Set<Int64> = []
    var busy: Set<Int64> = []
    /// Messages.
    var cancelled: Set<Int64> = []
}

/// What the statements say about posts: the i-th carries `ids[first[i]:last[i]]`, counted from 1.
private struct PostColumns {
    var first: [Int32] = []
    var last: [Int32] = []
    var ids: [Int64] = []
    var targets: [String?] = []
    var sizes: [Int32] = []

    mutating func append(_ post: Post) {
        first.append(Int32(ids.count + 1))
        ids.append(contentsOf: post.messages)
        last.append(Int32(ids.count))
        targets.append(post.target.label)
        sizes.append(Int32(post.body.count))
    }
}

/// What may leave now.
public struct Intent: Sendable {
    /// Numbers of the posts that are written and may leave.
    public let written: Set<Int>
    /// Cancelled messages of the claim. Posts with one of them were not written.
    public let cancelled: Set<Int64>
    /// Another session holds the claim (a cancel in an open transaction): nothing was written, and nothing may leave before
    /// that ends.
    public var isHeld = false
    /// A post with one of these numbers was written for other messages, which must never happen: nothing was written. What
    /// the database said.
    public var clash: String?
}
