/// What is known after a run: what the tables say, and what the hub saw. The checker needs nothing else.
public struct Facts: Sendable {
    /// A row of push.message.
    public struct Message: Sendable, Equatable {
        public var id: Int64
        public var hub: String
        /// nil: to handles.
        public var tag: String?
        /// Only in this message's content, so that a body shows which messages it carries.
        public var marker: String
        /// As push.message_status says.
        public var status: String
        /// Its time has come, long ago.
        public var isOverdue: Bool
        /// What it said and to whom is still there.
        public var hasTexts: Bool

        public init(
            id: Int64, hub: String, tag: String?, marker: String, status: String, isOverdue: Bool = false,
            hasTexts: Bool = true
        ) {
            self.id = id
            self.hub = hub
            self.tag = tag
            self.marker = marker
            self.status = status
            self.isOverdue = isOverdue
            self.hasTexts = hasTexts
        }
    }

    /// A row of push.result.
    public struct Result: Sendable, Equatable {
        public var id: Int64
        /// nil: no post and no claim stands behind it.
        public var post: Int64?
        /// Which of a message's results came first: the order of `push.result.arrival`.
        public var arrival: Int64
        /// Seconds since 1970.
        public var at: Double
        public var status: String
        public var reason: String

        /// - Parameter arrival: default: in the order of `at`, in milliseconds.
        public init(id: Int64, post: Int64?, arrival: Int64? = nil, at: Double, status: String, reason: String) {
            self.id = id
            self.post = post
            self.arrival = arrival ?? Int64(at * 1_000)
            self.at = at
            self.status = status
            self.reason = reason
        }

        var isFinal: Bool { status != "retrying" }
        /// A person decided.
        var isResolved: Bool { reason == "resolved" }
    }

    /// A row of push.post with its row of push.answers.
    public struct Post: Sendable, Equatable {
        public struct Answer: Sendable, Equatable {
            public var verdict: String
            /// What the hub calls the request or the message; nil: the answer does not say.
            public var receipt: String?
            /// Seconds since 1970.
            public var at: Double

            public init(_ verdict: String, receipt: String? = nil, at: Double) {
                self.verdict = verdict
                self.receipt = receipt
                self.at = at
            }
        }

        public var id: Int64
        public var messages: [Int64]
        public var answer: Answer?

        public init(id: Int64, messages: [Int64], answer: Answer? = nil) {
            self.id = id
            self.messages = messages
            self.answer = answer
        }

        /// The hub took it, or may have taken it.
        var mayBeSent: Bool { answer.map { $0.verdict == "accepted" || $0.verdict == "unknown" } ?? true }
    }

    /// One send as the hub saw it.
    public struct Arrival: Sendable, Equatable {
        public var number: Int
        public var hub: String
        /// Seconds since 1970, by the clock of this machine.
        public var at: Double
        /// nil: the hub closed the connection without a word.
        public var status: Int?
        public var isTaken: Bool
        /// The body was read.
        public var isWhole: Bool
        /// Something was done to the answer on purpose.
        public var isSpoilt: Bool
        /// The hub refused the stream (REFUSED_STREAM): it says that it did nothing with the request.
        public var isRefused: Bool
        /// As in `Post.Answer`.
        public var receipt: String?
        /// The post that it is, if the request says so.
        public var post: Int64?
        public var tags: String?
        public var markers: Set<String>

        public init(
            number: Int, hub: String, at: Double, status: Int?, isTaken: Bool, isWhole: Bool = true,
            isSpoilt: Bool = false, isRefused: Bool = false, receipt: String? = nil, post: Int64? = nil, tags: String?,
            markers: Set<String>
        ) {
            self.number = number
            self.hub = hub
            self.at = at
            self.status = status
            self.isTaken = isTaken
            self.isWhole = isWhole
            self.isSpoilt = isSpoilt
            self.isRefused = isRefused
            self.receipt = receipt
            self.post = post
            self.tags = tags
            self.markers = markers
        }

        /// Accepted, or read to its end and left unanswered.
        var mayBeSent: Bool { isTaken || status == nil && isWhole && !isRefused }
    }

    /// An INSERT that returned this id, and whose commit was confirmed.
    public struct Confirmation: Sendable, Equatable {
        public var id: Int64
        /// Distinguishes it from a message that got the same id after a fail-over.
        public var marker: String
        /// Seconds since 1970.
        public var at: Double

        public init(id: Int64, marker: String, at: Double = 0) {
            self.id = id
            self.marker = marker
            self.at = at
        }
    }

    /// What a row of push.message said before it was deleted or erased.
    public struct Forgotten: Sendable, Equatable {
        public var id: Int64
        public var hub: String
        public var tag: String?
        public var marker: String
        /// Seconds since 1970.
        public var at: Double

        public init(id: Int64, hub: String, tag: String?, marker: String, at: Double = 0) {
            self.id = id
            self.hub = hub
            self.tag = tag
            self.marker = marker
            self.at = at
        }
    }

    /// How often a hub's messages got a status for a reason.
    public struct Count: Sendable, Hashable {
        public var hub: String
        public var status: String
        public var reason: String

        public init(hub: String, status: String, reason: String) {
            self.hub = hub
            self.status = status
            self.reason = reason
        }
    }

    public var messages: [Message] = []
    /// In any order.
    public var results: [Result] = []
    public var posts: [Post] = []
    public var arrivals: [Arrival] = []
    public var confirmed: [Confirmation] = []
    /// Those of `confirmed` that are urgent and came when bulk posts filled every window (`UrgentTraffic`).
    public var urgent: [Confirmation] = []
    /// For which push.cancel answered `cancelled`, confirmed; and when, in seconds since 1970.
    public var cancelled: [(id: Int64, at: Double)] = []
    /// Rows that somebody deleted, or may have deleted.
    public var deleted: [Forgotten] = []
    /// For which push.erase answered `erased`, confirmed.
    public var erased: [Forgotten] = []
    /// What push.gone_targets lists.
    public var gone: [String] = []
    /// Rows of push.lost.
    public var lost: [String] = []
    public var tally: [Count: Int] = [:]
    /// The same, counted from push.result.
    public var counted: [Count: Int] = [:]
    public var changes: [Change] = []
    /// What the hubs have at the end.
    public var devices: [DeviceName: Device] = [:]
    public var confirmedChanges: [AskedChange] = []
    /// Of transactions that were certainly not committed.
    public var undoneChanges: [AskedChange] = []
    /// When a change of the device was asked for, seconds since 1970.
    public var deviceMoments: [DeviceName: [Double]] = [:]
    /// Rows of push.lost_changes.
    public var lostChanges: [String] = []
    /// When workers stood still on purpose, seconds since 1970: then an answer that came in time can be read too late.
    public var pauses: [ClosedRange<Double>] = []
    /// When connections of many requests ended without a word, seconds since 1970: then the neighbours of a request that a fault
    /// struck have no answer, too.
    public var cuts: [ClosedRange<Double>] = []
    /// When a standby that took over had received nothing, seconds since 1970: what was committed then is lost.
    public var losses: [ClosedRange<Double>] = []
    /// When the server's clock was off, seconds since 1970: then the times of its rows say nothing.
    public var clockSteps: [ClosedRange<Double>] = []

    public init() {}
}
