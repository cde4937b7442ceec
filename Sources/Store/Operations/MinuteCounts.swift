import Postgres

/// What became of the messages of one hub in each of the last minutes, from `push.throughput`.
public struct MinuteCounts: Sendable, Equatable {
    /// One minute. Retries, cancelled messages and duplicates do not count.
    public struct Minute: Sendable, Equatable {
        public var accepted: Int64
        public var rejected: Int64
        /// Messages whose time was up.
        public var expired: Int64
        /// Messages that got in doubt then.
        public var inDoubt: Int64

        public init(accepted: Int64 = 0, rejected: Int64 = 0, expired: Int64 = 0, inDoubt: Int64 = 0) {
            (self.accepted, self.rejected, self.expired, self.inDoubt) = (accepted, rejected, expired, inDoubt)
        }

        public var failed: Int64 { rejected + expired + inDoubt }
        public var ended: Int64 { accepted + failed }
    }

    public var hub: String
    /// When the minute began that is not over, seconds since 1970 by the server's clock.
    public var latest: Double
    /// By how many minutes ago they began; 0: the minute that is not over. Minutes without a result are left out.
    public var minutes: [Int: Minute]

    public init(hub: String, latest: Double, minutes: [Int: Minute]) {
        (self.hub, self.latest, self.minutes) = (hub, latest, minutes)
    }

    /// - Parameter minutes: that are over and looked at, besides the one that is not.
    /// - Returns: hubs with results, by name.
    public static func read(from database: Database, minutes: Int32 = 60) async throws(DatabaseError) -> [MinuteCounts]
    {
        let found = try await database.query(
            """
            SELECT t.hub, date_part('epoch', date_trunc('minute', now())),
                   (date_part('epoch', date_trunc('minute', now()) - t.minute) / 60)::int,
                   t.accepted, t.rejected, t.expired, t.in_doubt
              FROM (SELECT p.hub, date_trunc('minute', p.minute) AS minute,
                           coalesce(sum(p.messages) FILTER (WHERE p.status = 'accepted'), 0)::bigint AS accepted,
                           coalesce(sum(p.messages) FILTER (WHERE p.status = 'rejected'), 0)::bigint AS rejected,
                           coalesce(sum(p.messages) FILTER (WHERE p.status = 'expired'), 0)::bigint AS expired,
                           coalesce(sum(p.messages) FILTER (WHERE p.status = 'in_doubt'), 0)::bigint AS in_doubt
                      FROM push.throughput p
                     WHERE p.minute >= date_trunc('minute', now()) - make_interval(mins => \(minutes))
                       AND p.status IN ('accepted', 'rejected', 'expired', 'in_doubt')
                     GROUP BY p.hub, date_trunc('minute', p.minute)) t
             ORDER BY t.hub
            """, doing: "read push.throughput"
        ) { rows in
            try rows.map { row in
                (
                    hub: try row.string(), latest: try row.double(), ago: Int(try row.int32()),
                    counts: Minute(
                        accepted: try row.int64(), rejected: try row.int64(), expired: try row.int64(),
                        inDoubt: try row.int64())
                )
            }
        }
        var hubs: [MinuteCounts] = []
        for row in found {
            if hubs.last?.hub != row.hub { hubs.append(MinuteCounts(hub: row.hub, latest: row.latest, minutes: [:])) }
            hubs[hubs.count - 1].minutes[row.ago] = row.counts
        }
        return hubs
    }

    /// The sum of the last minutes, with the one that is not over.
    public func sum(ofLast minutes: Int) -> Minute {
        self.minutes.filter { $0.key < minutes }.values.reduce(into: Minute()) { sum, minute in
            sum.accepted += minute.accepted
            sum.rejected += minute.rejected
            sum.expired += minute.expired
            sum.inDoubt += minute.inDoubt
        }
    }
}
