import Concurrency
import Postgres
import PushModel

/// The protocol of `push.due`, `push.claim`, `push.post` and `push.result`, one statement per step (docs/storage.md). The SQL
/// itself is in `migrations/functions/protocol/`.
public struct Queue: Sendable {
    let database: Database
    public let worker: WorkerID
    private let clock: @Sendable () -> Double

    /// - Parameter clock: seconds that never jump; `Message.expiresAt` is on it.
    public init(
        database: Database, worker: WorkerID, clock: @escaping @Sendable () -> Double = SystemClock.monotonicSeconds
    ) {
        self.database = database
        self.worker = worker
        self.clock = clock
    }

    /// Takes what is due after `position`: up to `limit` pointers with all their translations, in one new claim.
    ///
    /// - Parameter back: look from this many seconds ago at the latest, by the database's clock; nil: from `position`.
    /// - Returns: nil when nothing was due.
    /// - Throws: `DatabaseError`. When the connection broke, the claim may exist all the same: the heartbeat finds it
    ///   (`Workers.beat`), and it is rescued.
    public func claim(
        hub: Int32, priority: Priority, after position: DuePosition, back: Double? = nil, limit: Int32
    ) async throws(DatabaseError) -> Claim? {
        try await database.query(
            """
            SELECT claim, at, pointer, id, lead, attempt, tag, handles, locale, content, format, headers, expires_in,
                   on_doubt, pack, stream, due_for, traceparent
              FROM push_worker.claim_v1(\(hub), \(priority.rawValue), \(position.dueAt), \(position.id), \(back), \(limit),
                                 \(worker.number), \(worker.epoch))
            """, doing: "claim messages"
        ) { rows in
            guard
                let first = try rows.first({ row in
                    let (id, position) = (try row.int64(), DuePosition(dueAt: try row.timestamp(), id: try row.int64()))
                    row.skipRest()  // its message is read below
                    return (id, position)
                })
            else { return nil }
            let now = clock()
            let messages = try rows.map { row in
                try row.skip(3)  // of the claim, the same in each row
                return try Self.message(&row, priority, now: now)
            }
            return Claim(id: first.0, messages: messages, position: first.1)
        }
    }

    /// The columns of `push_worker.claim_v1` from `id` on, which those of `push_worker.peek_v1` are, too.
    ///
    /// - Parameter now: when the database said how many seconds each message has left. Ours may be a little later, by the
    ///   time the answer took: so a slow network ends no message before its time.
    static func message(
        _ row: inout Row, _ priority: Priority, now: Double
    ) throws(DatabaseError) -> Message {
        Message(
            id: try row.int64(), lead: try row.int64(), attempt: try row.int16(), target: try target(&row),
            locale: try row.stringOrNil(), content: try row.string(), format: try row.string(),
            headers: try row.stringOrNil(), expiresAt: now + (try row.double()),
            priority: priority,
            onDoubt: try row.stringOrNil().flatMap(OnDoubt.init(rawValue:)), pack: try row.bool(),
            stream: try row.int64OrNil(), dueSince: now - (try row.double()),
            traceparent: try row.stringOrNil().flatMap(TraceParent.init))
    }

    /// The trigger of push.message guarantees exactly one of tag, handles and broadcast.
    private static func target(_ row: inout Row) throws(DatabaseError) -> Target {
        let (tag, handles) = (try row.stringOrNil(), try row.stringArrayOrNil())
        if let tag { return .tag(tag) }
        return handles.map(Target.handles) ?? .broadcast
    }

    /// Records answers and outcomes, and finishes claims.
    ///
    /// - Throws: `DatabaseError`. It may be committed all the same: set `mayBeRecorded` before it is given again, and then
    ///   what is there already is left alone.
    public func complete(_ completion: Completion) async throws(DatabaseError) -> Completed {
        try await database.query(statement(recording: completion), doing: "record results") { rows in
            try rows.first { row in
                Completed(
                    answered: Int(try row.int32()), late: Int(try row.int32()), fenced: try row.int64Array(),
                    busy: try row.int64Array())
            } ?? Completed()
        }
    }

    func statement(recording completion: Completion) -> SQL {
        let posts = CompletionColumns(completion.answered)
        let alone = posts.alone
        let left = completion.left
        return """
            SELECT answered, late, fenced, busy FROM push_worker.complete_v1(
                \(worker.number), \(worker.epoch), \(completion.mayBeRecorded),
                \(alone.messages), \(alone.posts), \(alone.https), \(alone.milliseconds), \(alone.trackings),
                \(alone.notifications),
                \(posts.ids), \(posts.verdicts), \(posts.https), \(posts.milliseconds), \(posts.trackings),
                \(posts.notifications), \(posts.errors), \(posts.statuses), \(posts.reasons), \(posts.costs),
                \(posts.delays), \(posts.notes), \(posts.taken), \(posts.takenIn),
                \(left.map(\.claim)), \(left.map(\.message)), \(left.map(\.outcome.status.rawValue)),
                \(left.map(\.outcome.reason.rawValue)), \(left.map(\.outcome.delay)), \(left.map { CompletionColumns.storable($0.outcome.note) }),
                \(completion.finished))
            """
    }

    /// Writes down in `push.audit` that an entry can never be recorded.
    ///
    /// - Parameter completion: one answer, or one message that left its claim without a post.
    public func giveUp(_ completion: Completion, because words: String) async throws(DatabaseError) {
        let answered = completion.answered.first
        let left = completion.left.first
        try await database.execute(
            """
            SELECT push_worker.give_up_v1(
                \(worker.number), \(answered.map { Claim.of(post: $0.post) } ?? left?.claim), \(answered?.post),
                \(answered?.messages ?? completion.left.map(\.message)), \(answered?.answer.verdict.word ?? left?.outcome.status.rawValue),
                \(CompletionColumns.storable(words)))
            """, doing: "write down what cannot be recorded")
    }

    /// Records that this worker sleeps, before it does, or that it woke. `push.wake_up()` notifies while at least one
    /// worker sleeps.
    ///
    /// - Returns: whether it was written. If not, this worker was declared dead, or another session holds its row: do not
    ///   sleep.
    public func announce(isAsleep: Bool) async throws(DatabaseError) -> Bool {
        try await database.single(
            "SELECT push_worker.report_sleep_v1(\(worker.number), \(worker.epoch), \(isAsleep))",
            doing: "announce whether this worker sleeps"
        ) { row in try row.bool() }
    }

    /// The channel on which `push.wake_up()` notifies.
    public static let wakeUps = "push_due"

    /// Whether a lane has something due.
    public struct Question: Sendable {
        public var hub: Int32
        public var priority: Priority
        /// As in `claim`.
        public var position: DuePosition
        /// As in `claim`.
        public var back: Double?

        public init(hub: Int32, priority: Priority, position: DuePosition, back: Double? = nil) {
            self.hub = hub
            self.priority = priority
            self.position = position
            self.back = back
        }
    }

    /// A hub and one of its priority classes.
    public struct LaneID: Sendable, Hashable {
        public var hub: Int32
        public var priority: Priority

        public init(hub: Int32, priority: Priority) {
            self.hub = hub
            self.priority = priority
        }
    }

    /// Every lane that has something due, of hubs that others serve too. Unlike `look`, it costs nothing for lanes without
    /// a pointer, and more for busy ones: it reads the entries of `push.due` that are dead and not vacuumed.
    public func dueLanes() async throws(DatabaseError) -> Set<LaneID> {
        try await database.query("SELECT hubs, priorities FROM push_worker.due_lanes_v1()", doing: "look for due lanes")
        {
            rows in
            try rows.first { row in
                var lanes: Set<LaneID> = []
                for (hub, number) in zip(try row.int32Array(), try row.int16Array()) {
                    if let priority = Priority(rawValue: number) { lanes.insert(LaneID(hub: hub, priority: priority)) }
                }
                return lanes
            } ?? []
        }
    }

    /// Asks, with one statement, which lanes have something due.
    ///
    /// - Returns: indices into `lanes`.
    public func look(_ lanes: [Question]) async throws(DatabaseError) -> Set<Int> {
        try await database.query(
            """
            SELECT push_worker.look_v1(\(lanes.map(\.hub)), \(lanes.map(\.priority.rawValue)), \(lanes.map(\.position.dueAt)),
                                \(lanes.map(\.position.id)), \(lanes.map(\.back)))
            """, doing: "look for due messages"
        ) { rows in
            Set(try rows.first { row in try row.int32Array().map { Int($0) - 1 } } ?? [])
        }
    }
}
