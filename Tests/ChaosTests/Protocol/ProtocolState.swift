/// One message, two workers, a rescuer and a person: everything the tables and the processes hold at one moment.
///
/// Claims are numbered from 0 and each has at most one post, so sets of claims and of posts are sets of small numbers. Locks
/// are not stored: they follow from the step each process is at.
struct ProtocolState: Hashable {
    /// What came back for a post, as the worker knows it.
    enum Verdict: Hashable {
        case accepted
        /// Certainly not sent; may be sent again.
        case retry
        /// It left and got no answer.
        case unknown
    }

    /// The newest row of push.result.
    enum Newest: Hashable {
        case none
        case retrying
        /// A person sent it again.
        case resent
        case cancelled
        case accepted(Int)
        case doubt(Int)

        var isFinal: Bool {
            switch self {
            case .none, .retrying, .resent: false
            case .cancelled, .accepted, .doubt: true
            }
        }
    }

    /// What a worker has done; its next step follows from that.
    enum Worker: Hashable {
        case idle
        case claimed(Int)
        /// In the transaction of the intent: the claim was found, nothing is committed.
        case intending(Int, isCancelled: Bool)
        /// Committed; the worker does not know it yet.
        case intended(Int)
        case ready(Int)
        case waiting(Int, Verdict)
        case answered(Int, Verdict)
        /// In the transaction of the completion; whether it found its claim.
        case completing(Int, Verdict, isAlive: Bool)
        /// Committed; the worker does not know it yet, and may repeat it.
        case completed(Int, Verdict)
        case dead

        /// The claim whose row this step holds `FOR SHARE`.
        var shares: Int? {
            switch self {
            case .intending(let claim, _), .completing(let claim, _, isAlive: true): claim
            default: nil
            }
        }
    }

    enum Rescuer: Hashable {
        case idle
        /// Holds the claim's row `FOR UPDATE`.
        case locked(Int)
        /// Only in a broken variant: has read the posts and holds no lock.
        case looked(Int, sawPost: Bool)
    }

    enum Person: Hashable {
        case idle
        /// Holds the claim's row `FOR NO KEY UPDATE`; the mark is not committed.
        case cancelling(Int)
        case done
    }

    var isDue = true
    var newest = Newest.none
    /// Rows of push.claim.
    var live = Numbers()
    /// Claims in which the message is cancelled.
    var cancelled = Numbers()
    /// Claims with a result for the message.
    var left = Numbers()
    /// Rows of push.post.
    var posts = Numbers()
    /// Rows of push.answer.
    var answers = Numbers()
    /// Posts the hub accepted, or that left and were never answered: the truth, which is not in the database.
    var sent = Numbers()
    /// Posts that were in doubt once: there is no promise that they do not leave.
    var doubted = Numbers()
    var claims = 0
    var crashes = 0
    var resends = 0
    var workers: [Worker] = [.idle, .idle]
    var rescuer = Rescuer.idle
    var person = Person.idle

    /// A set of numbers below 8.
    struct Numbers: Hashable {
        private var bits: UInt8 = 0
        var count: Int { bits.nonzeroBitCount }
        var isEmpty: Bool { bits == 0 }
        var members: [Int] { (0..<8).filter { contains($0) } }
        func contains(_ number: Int) -> Bool { bits & (1 << UInt8(number)) != 0 }
        mutating func insert(_ number: Int) { bits |= 1 << UInt8(number) }
        mutating func remove(_ number: Int) { bits &= ~(1 << UInt8(number)) }
    }
}
