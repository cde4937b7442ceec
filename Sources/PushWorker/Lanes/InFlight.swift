import PushModel
import Signing
import Store
import Synchronization

/// The open claims of one lane, and its posts in flight.
///
/// A claim is finished when no more of its posts will leave and all that left have been answered.
final class InFlight: Sendable {
    /// A post that left and has no answer yet. A class, because it is passed on many times.
    final class PostInFlight: Sendable {
        let claim: Int64
        let messages: [Int64]
        /// Of body and handles.
        let bytes: Int
        let attempt: Int16
        /// Monotonic seconds: the latest of its messages.
        let expiresAt: Double
        let onDoubt: OnDoubt
        let due: DueTimes
        let pass: Pass
        /// Monotonic seconds.
        let leftAt: Double
        /// The post of several contents that this one is a part of, if the hub refused that.
        let from: Int64?
        /// What halves are made of if it is refused; nil: it holds one content.
        let splittable: SplittablePost?
        /// nil: its messages have no trace context.
        let traces: PostTraces?

        init(
            claim: Int64, messages: [Int64], bytes: Int = 0, attempt: Int16, expiresAt: Double, onDoubt: OnDoubt,
            due: DueTimes = DueTimes([]), pass: Pass,
            leftAt: Double, from: Int64? = nil, splittable: SplittablePost? = nil, traces: PostTraces? = nil
        ) {
            self.claim = claim
            self.messages = messages
            self.bytes = bytes
            self.attempt = attempt
            self.expiresAt = expiresAt
            self.onDoubt = onDoubt
            self.due = due
            self.pass = pass
            self.leftAt = leftAt
            self.from = from
            self.splittable = splittable
            self.traces = traces
        }
    }

    /// A post of several contents, kept until it is answered.
    struct SplittablePost: Sendable {
        var claim: Claim
        var post: Post
    }

    private struct OpenClaim {
        /// Monotonic seconds.
        var openedAt: Double
        /// Its posts in flight.
        var inFlight = 0
        /// Tasks that may still send posts of it: the one that claimed it, and those that send halves.
        var senders = 1
        /// Numbers given to posts.
        var posts = 0
    }

    private struct State {
        var flights: [Int64: PostInFlight] = [:]
        var claims: [Int64: OpenClaim] = [:]
        var bytes = 0
    }

    private let state = Mutex(State())

    var isEmpty: Bool { state.withLock { $0.claims.isEmpty } }

    /// Bytes of bodies and handles that a lane has in flight at most, or a single post: a post to a thousand handles may have
    /// half a megabyte, and a window 512 places.
    static let mostBytes = 32_000_000

    /// Of posts in flight, and of those kept.
    var bytes: Int { state.withLock { $0.bytes } }

    /// Posts in flight.
    var count: Int { state.withLock { $0.flights.count } }

    /// - Parameter now: monotonic seconds.
    func open(_ claim: Int64, now: Double) { state.withLock { $0.claims[claim] = OpenClaim(openedAt: now) } }

    /// The open claims, the oldest first, each with its posts in flight and the time it was claimed (monotonic seconds).
    var openClaims: [(claim: Int64, inFlight: Int, openedAt: Double)] {
        state.withLock { state in
            state.claims.map { ($0.key, $0.value.inFlight, $0.value.openedAt) }.sorted { $0.openedAt < $1.openedAt }
        }
    }

    /// Numbers for `count` more posts of a claim, from 1 on; no number is given twice.
    ///
    /// - Returns: fewer, perhaps none, when the claim has reached `Claim.mostPosts`.
    func number(_ count: Int, of claim: Int64) -> Range<Int> {
        state.withLock { state in
            let given = state.claims[claim]?.posts ?? 0
            let more = min(count, Claim.mostPosts - given)
            state.claims[claim]?.posts += more
            return (given + 1)..<(given + 1 + more)
        }
    }

    func depart(_ flights: [(post: Int64, flight: PostInFlight)]) {
        state.withLock { state in
            for (post, flight) in flights {
                state.flights[post] = flight
                state.bytes += flight.bytes
                state.claims[flight.claim, default: OpenClaim(openedAt: flight.leftAt)].inFlight += 1
            }
        }
    }

    /// Bytes of posts that are written and wait for their places; less than 0: they wait no more.
    func keep(bytes: Int) { state.withLock { $0.bytes += bytes } }

    /// A post was answered. Call `recorded` afterwards.
    ///
    /// - Returns: nil for an unknown post.
    func arrive(_ post: Int64) -> PostInFlight? {
        state.withLock { state in
            let flight = state.flights.removeValue(forKey: post)
            state.bytes -= flight?.bytes ?? 0
            return flight
        }
    }

    /// The answer of one post is with the recorder. Not to be called before, because this may finish the claim.
    ///
    /// - Parameter isSplit: its halves will be sent; their sender ends with `close`.
    /// - Returns: whether the claim is finished.
    func recorded(_ claim: Int64, isSplit: Bool = false) -> Bool {
        state.withLock { state in
            state.claims[claim]?.inFlight -= 1
            if isSplit { state.claims[claim]?.senders += 1 }
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
        guard let open = state.claims[claim], open.senders <= 0, open.inFlight == 0 else { return false }
        state.claims[claim] = nil
        return true
    }
}
