import Store

/// What is known after the campaign of a chaos run: what the tables say, and what the hub saw.
public struct CampaignFacts: Sendable {
    /// One key of the audience.
    public struct Recipient: Sendable, Equatable {
        /// Rows of push.message.
        public var messages: Int32 = 0
        /// Of its newest result; empty: none.
        public var status = ""
        /// Sends of which the hub saw at least the head.
        public var sends: Int32 = 0
        /// Those that the hub took.
        public var taken: Int32 = 0
        /// A send had another recipient's text.
        public var isMixedUp = false
    }

    /// What push.slice and push.slice_count say of all slices together.
    public struct Slices: Sendable, Equatable {
        public var count: Int64 = 0
        /// Messages made.
        public var rows: Int64 = 0
        public var suppressed: Int64 = 0
        /// Messages by status.
        public var counted: [String: Int64] = [:]
    }

    public let audience: CampaignAudience
    /// By key; the first one is nobody's.
    public var recipients: [Recipient]
    /// Messages of the run that are nobody's.
    public var strangeMessages: Int64 = 0
    /// Tags in sends that are nobody's: how many, and some of them.
    public var strangeTags: (count: Int, examples: [String]) = (0, [])
    /// The hub's journal is not whole.
    public var hasGap = false
    public var sends = 0
    /// Rows of push.post.
    public var posts: Int64 = 0
    /// Recipients of each post that has no answer.
    public var unanswered: [[Int]] = []
    /// A row of push.run_progress; nil: there is no such run.
    public var progress: RunProgress?
    public var slices = Slices()
    /// Pointers in push.due and rows of push.claim at the end.
    public var left: Int64 = 0
    /// Rows of push.lost.
    public var lost: [String] = []
    public var tally: [Facts.Count: Int] = [:]
    /// The same, counted from push.result.
    public var counted: [Facts.Count: Int] = [:]
    /// Workers that were killed.
    public var kills = 0
    /// Messages that they held, which went back to those that wait.
    public var heldByKilled: Int64 = 0
    /// Messages that waited in push.due, at most, in all looks.
    public var mostAhead: Int64 = 0

    public init(audience: CampaignAudience) {
        self.audience = audience
        recipients = Array(repeating: Recipient(), count: audience.count + 1)
    }

    mutating func add(_ journal: CampaignJournal) {
        for key in audience.keys {
            let carried = journal.carried[key]
            recipients[key].sends = carried.sends
            recipients[key].taken = carried.taken
            recipients[key].isMixedUp = carried.isMixedUp
        }
        strangeTags = (journal.strangeCount, journal.strange)
        hasGap = journal.hasGap
        sends = journal.sends
    }
}
