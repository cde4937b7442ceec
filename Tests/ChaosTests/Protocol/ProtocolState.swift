/// One message, two workers, a rescuer and a person: everything the tables and the processes hold at one moment.
///
/// Claims are numbered from 0. Locks are not stored: they follow from the step each process is at.
struct ProtocolState: Hashable {
    /// What came back for a post, as the worker knows it.
    enum Verdict: Hashable {
        case accepted
        /// Certainly not sent; may be sent again.
        case retry
        /// A post of several contents was refused as a whole: its halves leave as posts of their own.
        case split
        /// It left and got no answer.
        case unknown

        var isRefusal: Bool { self == .retry || self == .split }
    }

    /// The newest row of push.result.
    enum Newest: Hashable {
        case none
        case retrying
        /// A person sent it again.
        case resent
        case cancelled
        /// It was in doubt and is erased.
        case rejected
        case accepted(Int)
        case doubt(Int)

        var isFinal: Bool {
            switch self {
            case .none, .retrying, .resent: false
            case .cancelled, .rejected, .accepted, .doubt: true
            }
        }
    }

    /// The post a worker is busy with: number `n` of a claim, from 1.
    struct Ticket: Hashable {
        /// Counts all claims that were ever made, so it is never used twice. `ProtocolState.number(of:)` is its id.
        var claim: Int
        var n = 1

        var next: Ticket { Ticket(claim: claim, n: n + 1) }
        /// Of all posts that were ever written.
        var identity: Int { claim * 4 + n - 1 }
    }

    /// What a worker has done; its next step follows from that.
    enum Worker: Hashable {
        case idle
        case claimed(Ticket)
        /// In the transaction of the intent: the claim was found, nothing is committed.
        case intending(Ticket, isCancelled: Bool)
        /// Committed; the worker does not know it yet.
        case intended(Ticket)
        case ready(Ticket)
        case waiting(Ticket, Verdict)
        case answered(Ticket, Verdict)
        case completing(Completing)
        /// Committed; the worker does not know it yet, and may repeat it.
        case completed(Ticket, Verdict)
        case dead

        /// The claim whose row this step holds `FOR SHARE`.
        var shares: Int? {
            switch self {
            case .intending(let ticket, _): ticket.claim
            case .completing(let completing): completing.shares
            default: nil
            }
        }
    }

    /// The transaction of a completion, which holds its locks.
    struct Completing: Hashable {
        var ticket: Ticket
        var verdict: Verdict
        /// It found its claim.
        var isAlive: Bool
        /// It found that this post was recorded as accepted before.
        var isRecorded: Bool

        var shares: Int? { isAlive ? ticket.claim : nil }
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

    /// What the database holds. Claims by number; posts by `post(_:)`.
    struct Tables: Hashable {
        var isDue = true
        var newest = Newest.none
        /// The message has no content any more.
        var isErased = false
        /// Rows of push.claim.
        var live = Numbers()
        /// Worker and epoch of each claim.
        var owners = Digits()
        /// Which claim has a number: not in the database, but what is true.
        var made = Digits()
        /// Claims in which the message is cancelled.
        var cancelled = Numbers()
        /// Claims with a result for the message.
        var left = Numbers()
        /// Posts of rows of push.result that say accepted, and how many rows these are.
        var accepted = Numbers()
        var acceptances = 0
        /// Rows of push.post.
        var posts = Numbers()
        /// Rows of push.answer, and those that say that nothing was sent.
        var answers = Numbers()
        var refused = Numbers()
        /// The sequence push.claim_id.
        var nextClaim = 0
    }

    var tables = Tables()
    /// What a standby had received when it stopped to receive; nil: there is none, or it receives everything.
    var standby: Tables?
    /// The standby took over.
    var isReplaced = false
    /// Claims made before that.
    var oldClaims = 0
    /// How far the numbers of claims fell back with it.
    var fallback = 0
    /// Posts made before, of which the new server knows.
    var survivors = Numbers()
    /// Whether each worker has registered anew since then.
    var isNew = [false, false]
    /// Posts the hub accepted, or that left and were never answered: the truth, which is not in the database.
    var sent = Numbers()
    /// Posts that were in doubt once: there is no promise that they do not leave.
    var doubted = Numbers()
    var claims = 0
    var crashes = 0
    var resends = 0
    var splits = 0
    var workers: [Worker] = [.idle, .idle]
    /// A completion whose worker has lost its connection: it runs on in the database.
    var orphan: Completing?
    var rescuer = Rescuer.idle
    var person = Person.idle

    /// Posts a claim has room for; 9,999 in the database.
    static let postsPerClaim = 2

    /// The id of a claim.
    func number(of claim: Int) -> Int { claim < oldClaims ? claim : claim - fallback }

    /// The id of a post. Beyond `postsPerClaim` it is a post of the next claim.
    func post(_ ticket: Ticket) -> Int { number(of: ticket.claim) * Self.postsPerClaim + ticket.n - 1 }

    /// The posts that belong to a claim by their ids.
    static func posts(ofNumber number: Int) -> Range<Int> {
        (number * postsPerClaim)..<((number + 1) * postsPerClaim)
    }

    /// Which post a row of push.post is of.
    func identity(ofPost post: Int) -> Int {
        Ticket(claim: tables.made[post / Self.postsPerClaim], n: post % Self.postsPerClaim + 1).identity
    }

    /// Posts that count: what an asynchronous standby never received is sent again, and no promise says otherwise.
    var sentOnRecord: Int {
        guard isReplaced else { return sent.count }
        return sent.members.count { $0 >= oldClaims * 4 || survivors.contains($0) }
    }

    /// A set of numbers below 32.
    struct Numbers: Hashable {
        private var bits: UInt32 = 0
        var count: Int { bits.nonzeroBitCount }
        var isEmpty: Bool { bits == 0 }
        var members: [Int] { (0..<32).filter { contains($0) } }
        func contains(_ number: Int) -> Bool { bits & (1 << UInt32(number)) != 0 }
        mutating func insert(_ number: Int) { bits |= 1 << UInt32(number) }
        mutating func remove(_ number: Int) { bits &= ~(1 << UInt32(number)) }
    }

    /// Digits below 16, by numbers below 8; 0 at first.
    struct Digits: Hashable {
        private var bits: UInt32 = 0
        subscript(_ number: Int) -> Int {
            get { Int(bits >> UInt32(number * 4)) & 15 }
            set { bits = bits & ~(15 << UInt32(number * 4)) | UInt32(newValue) << UInt32(number * 4) }
        }
    }
}
