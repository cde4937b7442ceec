import Postgres
import PushModel

/// Reads what `fanfare plan` shows: what claims would take, with nothing locked, moved or written
/// (`migrations/functions/protocol/peek.sql`, `peek_lanes.sql`). For logins of `push_worker`, because it reads contents.
public struct PlanReader: Sendable {
    private let connection: Connection
    private let moment: Timestamp
    /// When the transaction began, in seconds since 1970: what is due by then is due.
    public var asOf: Double { Self.epoch(moment) }

    /// Each statement may take this long.
    private static let seconds = 5

    /// In a transaction that is open.
    init(_ connection: Connection) async throws(DatabaseError) {
        try await connection.execute("SET LOCAL statement_timeout = '\(raw: "\(Self.seconds)")s'")
        self.connection = connection
        moment = try await connection.query("SELECT now()") { rows in try rows.single { row in try row.timestamp() } }
    }

    /// Runs `body` in one transaction that only reads, and sees the database as it was at one moment.
    ///
    /// - Throws: what `body` throws, and `DatabaseError`: 42501 when the login is no member of `push_worker`.
    public nonisolated(nonsending) static func read<T>(
        _ database: Database, _ body: nonisolated(nonsending) (PlanReader) async throws -> T
    ) async throws -> T {
        try await database.withRollback(of: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") { connection in
            try await body(try await PlanReader(connection))
        }
    }

    /// Lanes with something due, a wait to look at, or parked messages; by name of the hub, urgent ones first.
    ///
    /// - Parameters:
    ///   - hub: nil: all hubs.
    ///   - priority: nil: all.
    ///   - asOf: as in `claim`.
    ///   - only: the lanes of these messages, whenever they are due; nil: all. Few: each lane looks at all of them.
    /// - Throws: `DatabaseError` P0002 when no hub has that name.
    public func lanes(
        hub: String? = nil, priority: Priority? = nil, asOf: Double? = nil, only: [Int64]? = nil
    ) async throws(DatabaseError) -> [PlanLane] {
        try await connection.query(
            """
            SELECT id, priority, state, why, since, parked, name, kind, localization, languages, fallback, allow_broadcast,
                   on_doubt, tags_are_topics, broadcast_topic, settings
              FROM push_worker.peek_lanes_v1(\(hub), \(priority?.rawValue), \(time(asOf)), \(only))
            """, doing: "look for lanes to plan"
        ) { rows in try rows.map(PlanLane.init) }
    }

    /// What the next claim of one worker would take.
    ///
    /// - Parameters:
    ///   - position: of the claim before; `.start` for the first one.
    ///   - asOf: what is due by then is due, in seconds since 1970; nil: when the transaction began.
    ///   - first: the first message that this transaction has inserted: what it has inserted is taken with what travels with
    ///     it, and nothing else, whenever it is due. What is due later comes in claims of its own, one for each time. Nil: what
    ///     is due.
    ///   - limit: pointers, at most 1,000.
    /// - Returns: nil when nothing is left. Times of its messages count from 1970, and `Plan` gets `asOf` as `now`.
    /// - Throws: `DatabaseError` 57014 when it took longer than 5 s.
    public func claim(
        _ lane: PlanLane, after position: DuePosition, asOf: Double? = nil, insertedFrom first: Int64? = nil,
        limit: Int32 = 1000
    ) async throws(DatabaseError) -> PeekedClaim? {
        let moment = time(asOf)
        let now = Self.epoch(moment)
        let priority = lane.priority
        var claim: PeekedClaim?
        do throws(DatabaseError) {
            claim = try await connection.query(
                """
                SELECT ended_status, ended_reason, ended_note, at, pointer, id, lead, attempt, tag, handles, locale, content,
                       format, headers, expires_in, on_doubt, pack, stream, due_for, traceparent
                  FROM push_worker.peek_v1(\(lane.hub), \(priority.rawValue), \(position.dueAt), \(position.id), \(limit),
                                           \(moment), \(first))
                """, doing: "look at what is due"
            ) { rows in try PeekedClaim(rows, priority, now: now) }
        } catch {
            throw error.cutShort(after: Double(Self.seconds))
        }
        let streams = Set(claim?.messages.compactMap(\.stream) ?? [])
        if !streams.isEmpty {
            claim?.runContents = try await connection.query(
                Queue.contents(of: streams.sorted()), doing: "read what campaigns say", Queue.runContents)
        }
        return claim
    }

    /// How fast a hub takes posts.
    ///
    /// - Returns: nil: not known, because no worker posts to it and nothing limits it.
    public func pace(of hub: Int32) async throws(DatabaseError) -> PlanPace? {
        let pace = try await connection.query(
            "SELECT rate, speed, answers_per_second, \"window\", workers FROM push_worker.peek_pace_v1(\(hub))",
            doing: "read how fast a hub takes posts"
        ) { rows in try rows.first(PlanPace.init) }
        return pace?.postsPerSecond == nil ? nil : pace
    }

    /// The templates that devices of a hub are known to have: what most devices have comes first.
    public func templates(of hub: Int32) async throws(DatabaseError) -> [PlatformTemplate] {
        try await connection.query(
            "SELECT platform, name, body, headers, devices, expiry FROM push_worker.peek_templates_v1(\(hub))",
            doing: "read templates of devices"
        ) { rows in try rows.map { row in try PlatformTemplate(&row) } }
    }

    /// How many devices tag expressions meant when somebody counted them at a hub, the newest first.
    public func reach(of hub: Int32) async throws(DatabaseError) -> [KnownReach] {
        try await connection.query(
            "SELECT expression, devices, of, is_whole, counted_at FROM push_worker.peek_reach_v1(\(hub))",
            doing: "read how many devices tags reach", Reach.known)
    }

    /// Where a message is.
    ///
    /// - Returns: nil: no message has that id.
    public func standing(of message: Int64) async throws(DatabaseError) -> PlanStanding? {
        try await connection.query(
            """
            SELECT hub, name, priority, lead, due_at, status, reason, since, note, worker, post, mates
              FROM push_worker.peek_standing_v1(\(message))
            """, doing: "look up message \(message)"
        ) { rows in try rows.first { row in try PlanStanding(&row, of: message) } }
    }

    private func time(_ seconds: Double?) -> Timestamp { seconds.map(Timestamp.init(secondsSince1970:)) ?? moment }

    /// As PostgreSQL computes it, bit by bit: what is left of a message's time comes as a difference to it.
    private static func epoch(_ time: Timestamp) -> Double {
        Double(time.microseconds + 946_684_800_000_000) / 1e6
    }
}
