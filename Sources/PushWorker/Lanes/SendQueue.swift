import PushModel

/// What a lane does next with the posts of one claim. Pure: events in, actions out.
///
/// The driver, `Lane.send`, asks for the next action, carries it out and reports how it ended. Two intents are under
/// way at a time: with one, no post leaves while the database answers (a quarter of two processors stood idle).
struct SendQueue {
    enum Action: Equatable {
        /// Few posts are left to leave, or none: the next claim may begin. Once.
        case sayFewLeft
        /// No intent of this claim is written any more: the posts of the next claim may be next. Once.
        case sayWritten
        /// Ask the gate, and wait for a hub that opens soon; then `admitted`.
        case askGate
        /// The bodies in flight are too large for one more: wait a little and ask again.
        case awaitRoom
        /// Take places in the hub's window; then `granted`.
        case takePlaces(upTo: Int, atLeast: Int)
        /// Wait for one of the intents under way, then `settled`; or for posts that were written and wait for their places
        /// to be free, then `departed`.
        case awaitPosts
    }

    /// Posts that have not left; when the queue is over, they do not any more.
    private(set) var waiting: ArraySlice<Lane.Outgoing>
    /// What the gate said last. A probe is one post; the others wait for its answer.
    private(set) var admission: Gate.Admission
    /// The claim is not ours any more: nothing of it may be given back.
    private(set) var isRescued = false
    /// Whether the gate was asked for the next batch.
    private var isAsked: Bool
    private var openIntents = 0
    /// Portions that are written and have not left.
    private var openDepartures = 0
    private var isOver = false
    private var hasSaidFewLeft = false
    private var hasSaidWritten = false

    /// - Parameter admission: the gate's answer before the claim, used up by other means than a probe.
    init(_ posts: [Lane.Outgoing], _ admission: Gate.Admission) {
        waiting = posts[...]
        self.admission = admission
        isAsked = admission == .probe
    }

    /// - Parameters:
    ///   - window: posts the hub may have at once.
    ///   - room: bytes that bodies in flight may still have.
    ///   - areFew: whether this number of posts is few.
    /// - Returns: nil: nothing is under way, and nothing more leaves.
    mutating func next(window: Int, room: Int, areFew: (Int) -> Bool) -> Action? {
        guard !isOver, !waiting.isEmpty else {
            return openIntents > 0 ? .awaitPosts : end()
        }
        if openIntents == IntentBatch.atOnce || openIntents > 0 && admission == .probe { return .awaitPosts }
        if !hasSaidFewLeft, areFew(waiting.count) {
            hasSaidFewLeft = true
            return .sayFewLeft
        }
        guard isAsked else { return .askGate }
        let batch = IntentBatch(of: window)
        let most = Self.fitting(waiting.prefix(batch.most), room)
        guard most > 0 else {
            if admission != .probe { isAsked = false }
            return .awaitRoom
        }
        let places = admission == .probe ? 1 : most
        return .takePlaces(upTo: places, atLeast: min(batch.least, places))
    }

    private mutating func end() -> Action? {
        if !hasSaidFewLeft {
            hasSaidFewLeft = true
            return .sayFewLeft
        }
        if !hasSaidWritten {
            hasSaidWritten = true
            return .sayWritten
        }
        return openDepartures > 0 ? .awaitPosts : nil
    }

    /// How many of these posts may leave now without the bodies in flight growing too large. One always may when there is
    /// room at all.
    private static func fitting(_ posts: ArraySlice<Lane.Outgoing>, _ room: Int) -> Int {
        var room = room
        return posts.prefix { outgoing in
            defer { room -= outgoing.post.bytes }
            return room > 0
        }.count
    }

    // MARK: Events

    /// The gate has answered.
    ///
    /// - Parameter admission: `closed`: nothing more leaves.
    mutating func admitted(_ admission: Gate.Admission) {
        self.admission = admission
        isAsked = true
        if admission == .closed { isOver = true }
    }

    /// Places were taken, or not.
    ///
    /// - Parameters:
    ///   - places: 0: the lane was turned away, perhaps because the hub has closed: the gate knows.
    ///   - isStillAdmitted: whether what the gate said a moment ago still holds.
    ///   - probe: which of the waiting posts is the probe, from 0: not always the neighbour of what was just refused.
    /// - Returns: the posts for which an intent may be written; empty: the places go back.
    mutating func granted(_ places: Int, isStillAdmitted: Bool, probe: (Int) -> Int = { _ in 0 }) -> [Lane.Outgoing] {
        let isProbe = admission == .probe
        guard places > 0, isStillAdmitted else {
            // A probe that was turned away keeps its permission.
            if places > 0, isProbe { admission = .closed }
            isAsked = admission == .probe
            return []
        }
        if isProbe, waiting.count > 1 {
            waiting.swapAt(waiting.startIndex, waiting.startIndex + probe(waiting.count))
        }
        let batch = Array(waiting.prefix(places))
        waiting = waiting.dropFirst(places)
        if !isProbe { isAsked = false }
        return batch
    }

    /// These do not leave with their batch: they wait again, in front.
    mutating func putBack(_ posts: [Lane.Outgoing]) { waiting = posts + waiting }

    /// The claim has no more numbers for posts: the rest goes into another claim.
    mutating func ranOutOfNumbers() { isOver = true }

    /// The worker stops, or the task was cancelled.
    mutating func stop() { isOver = true }

    /// An intent is being written.
    mutating func began() { openIntents += 1 }

    /// An intent has ended.
    mutating func settled(_ result: Lane.SendResult) {
        openIntents -= 1
        if result.waits { openDepartures += 1 }
        putBack(result.replanned)
        if result.isHeld || result.isRescued { isOver = true }
        if result.isRescued { isRescued = true }
        // Not the result of an intent that was under way when the gate began to ask for a probe.
        guard result.isProbe, result.sent > 0 else { return }
        admission = .closed  // the probe is on its way; the others ask the gate
        isAsked = false
    }

    /// Posts that had waited for their places have left, or were taken back.
    mutating func departed() { openDepartures -= 1 }
}
