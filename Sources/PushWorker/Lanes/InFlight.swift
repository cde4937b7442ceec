import PushModel
import Signing
import Store
import Synchronization

/// The claims one lane has open, and their posts that are on their way.
///
/// A claim is finished when no more posts of it will leave and all that left have come back.
final class InFlight: Sendable {
    /// A post between its departure and its answer. By reference: it is handed on many times.
    final class PostInFlight: Sendable {
        let claim: Int64
        let messages: [Int64]
        let attempt: Int16
        /// Seconds since 1970: the latest of its messages.
        let expiresAt: Double
        let onDoubt: OnDoubt
        let token: SASToken
        /// Monotonic seconds.
        let leftAt: Double
        /// The post it is a part of, which was refused as a whole.
        let from: Int64?
        /// What can be sent anew in halves; nil: it holds one content.
        let whole: SplittablePost?

        init(
            claim: Int64, messages: [Int64], attempt: Int16, expiresAt: Double, onDoubt: OnDoubt, token: SASToken,
            leftAt: Double, from: Int64? = nil, whole: SplittablePost? = nil
        ) {
            self.claim = claim
            self.messages = messages
            self.attempt = attempt
            self.expiresAt = expiresAt
            self.onDoubt = onDoubt
            self.token = token
            self.leftAt = leftAt
            self.from = from
            self.whole = whole
        }
    }

    /// A post of several contents, for as long as it is on its way.
    struct SplittablePost: Sendable {
        var claim: Claim
        var post: Post
    }

    private struct Open {
        /// Monotonic seconds.
        var since: Double
        var flying = 0
        /// Who may still send posts of it: its turn, and those who send halves.
        var senders = 1
        /// Numbers given to posts.
        var posts = 0
    }

    private struct State {
        var flights: [Int64: PostInFlight] = [:]
        var claims: [Int64: Open] = [:]
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.claims.isEmpty } }
    var flying: Int { state.withLock { $0.flights.count } }

    /// - Parameter now: monotonic seconds.
    func open(_ claim: Int64, now: Double) { state.withLock { $0.claims[claim] = Open(since: now) } }

    /// The claims that are open, the oldest first: how many posts of it are on their way, and since when it is held
    /// (monotonic seconds).
    var open: [(claim: Int64, flying: Int, since: Double)] {
        state.withLock { state in
            state.claims.map { ($0.key, $0.value.flying, $0.value.since) }.sorted { $0.since < $1.since }
        }
    }

    /// Numbers for `count` more posts of a claim, from 1 on; none is given twice.
    func number(_ count: Int, of claim: Int64) -> Range<Int> {
        state.withLock { state in
            let first = (state.claims[claim]?.posts ?? 0) + 1
            state.claims[claim]?.posts += count
            return first..<(first + count)
        }
    }

    func depart(_ flights: [(post: Int64, flight: PostInFlight)]) {
        state.withLock { state in
            for (post, flight) in flights {
                state.flights[post] = flight
                state.claims[flight.claim, default: Open(since: flight.leftAt)].flying += 1
            }
        }
    }

    /// - Returns: the post's flight; nil for a post nobody knows. `landed` has to follow.
    func arrive(_ post: Int64) -> PostInFlight? { state.withLock { $0.flights.removeValue(forKey: post) } }

    /// What came back is handed to the recorder: not before, because this may be what finishes the claim.
    ///
    /// - Parameter again: parts of it will be sent; whoever does so ends with `close`.
    /// - Returns: whether the claim is finished.
    func landed(_ claim: Int64, again: Bool = false) -> Bool {
        state.withLock { state in
            state.claims[claim]?.flying -= 1
            if again { state.claims[claim]?.senders += 1 }
            return finish(claim, &state)
        }
    }

    /// One sender sends no more posts of this claim.
    ///
    /// - Returns: whether the claim is finished.
    func close(_ claim: Int64) -> Bool {
        state.withLock { state in
            state.claims[claim]?.senders -= 1
            return finish(claim, &state)
        }
    }

    private func finish(_ claim: Int64, _ state: inout State) -> Bool {
        guard let open = state.claims[claim], open.senders <= 0, open.flying == 0 else { return false }
        state.claims[claim] = nil
        return true
    }
}
