/// What happened in a demo, as hub and database reported it afterwards.
struct DemoResults: Sendable {
    /// One request as it arrived at the hub, and what the database wrote down about it.
    struct Post: Sendable, Equatable {
        var tags: String
        /// In the order of the body.
        var properties: [String]
        var bytes: Int
        /// From the hand-over to the transport to the end of the answer; nil: the database knows of no answer.
        var milliseconds: Int?
        /// Rows of push.message it carried; 0: the database does not know this request.
        var rows: Int
        var status: Int?
        /// Notifications it became.
        var notifications: Int
    }

    /// A row of push.message_status.
    struct Result: Sendable, Equatable {
        var id: Int64
        var target: String
        var locale: String
        var status: String
        var reason: String
        var http: Int16?
    }

    /// From the moment a message was due until its result was written, in milliseconds.
    struct Latency: Sendable, Equatable {
        /// Messages with one result, which is accepted.
        var messages: Int64
        var median: Double
        var p99: Double
        var slowest: Double
    }

    /// How it ended.
    struct Ended: Sendable, Equatable {
        /// Whether the worker recorded or gave back everything it had claimed.
        var isClean: Bool
        /// Whether the server's directory is gone.
        var isGone: Bool
    }

    var stories = DemoScript.all
    var phones = DemoPhone.all
    /// Everything the hub was sent, refused sends too.
    var posts: [Post] = []
    /// By phone, oldest first.
    var shown: [String: [DemoText]] = [:]
    /// What the hub found odd.
    var warnings: [String] = []
    var results: [Result] = []
    var latency: Latency?
    /// Rows of push.lost.
    var lost: Int64 = 0
    /// What came after the story; nil: nothing was asked for.
    var load: DemoLoad.Facts?
    /// nil: everything still runs.
    var ended: Ended?

    var rows: Int { stories.reduce(0) { $0 + $1.texts.count } }
    var notifications: Int { posts.reduce(0) { $0 + $1.notifications } }
}
