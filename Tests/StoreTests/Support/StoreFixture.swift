import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// A database with one hub and one worker; the test takes the worker's steps one by one.
struct StoreFixture: Sendable {
    let test: TestDatabase
    let hub: Int32
    let queue: Queue

    var database: Database { test.database }
    var messages: Messages { Messages(database: database) }
    var workers: Workers { Workers(database: database) }
    var doubts: Doubts { Doubts(database: database) }

    /// - Parameter hub: default: `news` in English, French and Mandarin, localised by property, fallback English.
    static func make(_ hub: HubSettings = TestWorker.news) async throws -> StoreFixture {
        let test = try await TestDatabase.make()
        let number = try await Hubs(database: test.database).register(hub)
        let worker = try await Workers(database: test.database).register(name: "host/1", version: "test")
        return StoreFixture(test: test, hub: number, queue: Queue(database: test.database, worker: worker.id))
    }

    /// Another worker in the same database.
    func another() async throws -> Queue {
        Queue(database: database, worker: try await workers.register(name: "host/2", version: "test").id)
    }

    /// Enqueues messages that are due, a microsecond apart, oldest first.
    @discardableResult
    func insert(_ n: Int = 1, onDoubt: String? = nil) async throws -> [Int64] {
        try await database.query(
            """
            INSERT INTO push.message (hub, tag, content, on_doubt, send_at)
            SELECT 'news', 'tag' || g, '{"message": "hi"}', \(onDoubt), now() - interval '1 minute' + g * interval '1 us'
              FROM generate_series(1, \(n)) g RETURNING id
            """
        ) { rows in try rows.map { row in try row.int64() } }
    }

    /// Enqueues one content in several languages, to one tag; ids in the order given.
    func translate(_ locales: [String?], tag: String = "World") async throws -> [Int64] {
        try await messages.enqueue(
            locales.map {
                var message = NewMessage(hub: "news", tag: tag, content: #"{"message": "hi"}"#)
                message.locale = $0
                return message
            }
        ).map(\.id)
    }

    /// With a hub that waits this long for translations of a content with a key.
    static func make(settling milliseconds: Int) async throws -> StoreFixture {
        var hub = TestWorker.news
        hub.settleMilliseconds = milliseconds
        return try await make(hub)
    }

    /// Enqueues one translation of a content with a key, in its own statement.
    @discardableResult
    func keyed(
        _ locale: String?, key: String = "k", tag: String = "World", in database: Database? = nil
    ) async throws -> Int64 {
        try await (database ?? self.database).query(
            """
            INSERT INTO push.message (hub, tag, locale, content_key, content)
            VALUES ('news', \(tag), \(locale), \(key), '{"message": "hi"}') RETURNING id
            """
        ) { rows in try rows.first { row in try row.int64() } ?? 0 }
    }

    /// Ends the time a content with a key waits for translations.
    func settle(key: String = "k") async throws {
        try await database.execute(
            """
            WITH older AS (UPDATE push.content SET due_at = due_at - interval '1 hour' WHERE content_key = \(key) RETURNING lead, due_at)
            UPDATE push.due d SET due_at = o.due_at FROM older o WHERE d.kind = 'k' AND d.id = o.lead
            """)
    }

    func claim(_ limit: Int32 = 1000, by queue: Queue? = nil) async throws -> Claim? {
        try await (queue ?? self.queue).claim(hub: hub, priority: .normal, after: .start, limit: limit)
    }

    /// Writes the intent of posts of the claim, numbered from `first`, each with the given messages.
    @discardableResult
    func intend(_ posts: [[Int64]], under claim: Int64, from first: Int = 1) async throws -> Intent? {
        let numbered = posts.enumerated().map { index, ids in
            (n: first + index, post: Post(messages: ids, target: .tag("World"), body: Array("{}".utf8)))
        }
        return try await queue.intend(numbered[...], under: claim)
    }

    @discardableResult
    func complete(
        _ answered: [Completion.Answered] = [], left: [Completion.Left] = [], finished: [Int64] = []
    ) async throws -> Completed {
        var completion = Completion()
        completion.answered = answered
        for index in answered.indices where answered[index].messages.isEmpty {
            completion.answered[index].messages = try await database.query(
                "SELECT ids FROM push.post WHERE id = \(answered[index].post)"
            ) { rows in try rows.first { row in try row.int64Array() } ?? [] }
        }
        completion.left = left
        completion.finished = finished
        return try await queue.complete(completion)
    }

    /// Runs a transaction that is rolled back when it has ended well, too.
    func undone(_ body: nonisolated(nonsending) (Connection) async throws -> Void) async throws {
        struct Undone: Error {}
        do {
            try await database.withTransaction { connection in
                try await body(connection)
                throw Undone()
            }
        } catch is Undone {}  // the rollback that was asked for
    }

    /// Deletes rows of `push.message` as somebody would who knows how to get past its trigger.
    func delete(_ ids: [Int64]) async throws {
        try await database.withTransaction { connection in
            try await connection.execute("SET LOCAL session_replication_role = replica")
            try await connection.execute("DELETE FROM push.message WHERE id = ANY (\(ids))")
        }
    }

    func status(_ id: Int64) async throws -> String? { try await messages.status(of: id)?.status }

    /// The rows of `push.lost` as `id: problem`; must be empty.
    func lost() async throws -> [String] {
        try await test.texts("SELECT id || ': ' || problem FROM push.lost ORDER BY id")
    }

    func count(_ table: String) async throws -> Int64 {
        try await test.number("SELECT count(*) FROM push.\(raw: table)")
    }

    /// Results of a message, the oldest first, as `status/reason`.
    func results(_ id: Int64) async throws -> [String] {
        try await test.texts("SELECT status || '/' || reason FROM push.result WHERE id = \(id) ORDER BY arrival")
    }

    /// Calls a function that works in batches until it is done.
    ///
    /// - Parameter call: with `$after` in the place of the last call's `next`; returns two counts and `next`.
    func all(_ call: String) async throws -> (calls: Int, first: Int64, second: Int64) {
        var done = (calls: 0, first: Int64(0), second: Int64(0))
        var after = "NULL"
        while true {
            let sql = call.replacing("$after", with: after)
            let row = try await database.query("\(raw: sql)") { rows in
                try rows.first { row in (try row.int64(), try row.int64(), try row.stringOrNil()) }
            }
            let (first, second, next) = try #require(row)
            done = (done.calls + 1, done.first + first, done.second + second)
            guard let next else { return done }
            after = "'\(next)'"
        }
    }

    /// Returns when a session of this database waits for a lock; bounded by the suite's time limit.
    func untilASessionWaits() async throws {
        while try await test.number(
            """
            SELECT count(*) FROM pg_stat_activity, pg_sleep(0.01) WHERE datname = current_database() AND wait_event_type = 'Lock'
            """) == 0
        { try Task.checkCancellation() }
    }
}

extension Completion.Answered {
    /// - Parameter messages: if empty, `StoreFixture.complete` looks them up.
    static func accepted(_ post: Int64, _ messages: [Int64] = []) -> Self {
        Self(
            post: post, answer: Answer(verdict: .accepted, status: 201, tracking: "t-\(post)"),
            outcome: MessageOutcome(.accepted, .takenByHub), messages: messages)
    }

    static func rejected(_ post: Int64) -> Self {
        Self(
            post: post, answer: Answer(verdict: .rejected(because: "bad"), status: 400),
            outcome: MessageOutcome(.rejected, .badRequest), messages: [])
    }

    static func retrying(_ post: Int64, after delay: Double = 0, cost: Int16 = 1) -> Self {
        Self(
            post: post, answer: Answer(verdict: .unavailable(after: nil, because: "busy"), status: 503),
            outcome: .retrying(.unavailable, after: delay, cost: cost), messages: [])
    }

    /// The intent's answer was lost, so the post did not leave.
    static func withdrawn(_ post: Int64) -> Self {
        Self(post: post, answer: Answer(verdict: .notSent(because: "it did not leave")), outcome: nil, messages: [])
    }

    /// The answer was lost, and the message asks to be sent again.
    static func resent(_ post: Int64) -> Self {
        Self(
            post: post, answer: Answer(verdict: .unknown(because: "timeout")),
            outcome: .retrying(.resent, after: 0, cost: 1), messages: [])
    }

    /// A post of several contents was refused; it leaves again in halves.
    static func refusedWhole(_ post: Int64) -> Self {
        Self(post: post, answer: Answer(verdict: .rejected(because: "bad"), status: 400), outcome: nil, messages: [])
    }
}
