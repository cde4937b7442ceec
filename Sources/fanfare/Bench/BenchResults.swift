/// How much is measured.
struct BenchPlan: Sendable, Equatable {
    /// Messages the whole is measured with, and each form of the worker's statements.
    var messages: Int
    /// Posts in flight.
    var window: Int

    /// Single statements of a kind at most, and seconds they may take together: a disk that takes 10 ms for a commit is
    /// measured with fewer.
    var singles = 200
    var secondsOfSingles = 3.0
    /// Sessions that enqueue at the same time.
    var sessions = 8
    /// Messages that are followed one by one from INSERT to request.
    var followed = 60
    /// Messages that share a post where some do: the most tags one post may have.
    static let packed = 20
}

/// What a bench without a hub has measured. Times in seconds, rates per second.
struct BenchResults: Sendable, Equatable {
    struct Server: Sendable, Equatable {
        /// `15.18 (Debian …)`
        var version: String
        /// `database fanfare_bench_… on the server of the settings`
        var ground: String
        var fsync: Bool
        var synchronousCommit: String
        var isPooled: Bool
    }

    /// The worker's statements without HTTP, one after the other in one session.
    struct Statements: Sendable, Equatable {
        var rate: Double
        var claim: Samples
        var intent: Samples
        var completion: Samples
        /// Statements, and so commits, per message.
        var perMessage: Double
    }

    /// A worker and a hub in this process.
    struct Whole: Sendable, Equatable {
        var rate: Double
        var posts: Int
        /// CPU seconds per message of this process, the hub's threads left out.
        var cpuPerMessage: Double
        /// The share of all processors of this machine that was busy, 0 to 1; nil: the system does not report it.
        var busy: Double?
        /// From the hand-over of a request to the end of its answer. Whole milliseconds.
        var answers: Samples
        /// Transactions of the database per message; nil: the server does not report it in time.
        var transactionsPerMessage: Double?
    }

    var plan: BenchPlan
    var server: Server
    var processors: Int
    /// `SELECT 1`, in one session.
    var roundTrip: Samples
    /// An INSERT of one small row into a bare table, in one session.
    var bareInsert: Samples
    /// An INSERT of one message, in one session.
    var insert: Samples
    /// Messages a second in several sessions, each a statement of its own.
    var insertsAtOnce: Double
    /// Messages a second by `INSERT … SELECT`, 1,000 a statement.
    var bulk: Double
    /// One message a post, and many.
    var alone: Statements
    var packed: Statements
    /// From the end of an INSERT to the request at the hub, nothing else to do.
    var idle: Samples
    var whole: Whole

    /// What a commit costs: what an INSERT takes beyond a round trip.
    var commit: Double { max(0, bareInsert.median - roundTrip.median) }

    var limit: Bottleneck { Bottleneck(of: self) }
}
