import Postgres

/// A pulse for somebody who looks at it without being a worker.
public struct LatestPulse: Sendable, Equatable {
    public var pulse: DatabasePulse
    /// When it was taken, seconds since 1970 by the server's clock.
    public var takenAt: Double
    /// When a worker took one last; nil: none ever did. Later than `takenAt` never.
    public var workersTookAt: Double?

    /// Reads the pulse that a worker took last. Takes one only when that is old: it costs more.
    ///
    /// - Parameter seconds: how old that of a worker may be.
    /// - Throws: `DatabaseError` 42501 unless the role may read `push.pulse`, as `push_monitor` does.
    public static func read(
        from database: Database, within seconds: Double = 45
    ) async throws(DatabaseError) -> LatestPulse {
        // Beyond the server's clock, it was set back: such a time says nothing.
        try await database.single(
            """
            SELECT CASE WHEN u.is_fresh THEN p.reading ELSE push.read_pulse() END::text,
                   extract(epoch FROM CASE WHEN u.is_fresh THEN p.taken_at ELSE clock_timestamp() END)::double precision,
                   extract(epoch FROM p.taken_at)::double precision
              FROM push.pulse p,
                   LATERAL (
                       SELECT p.reading IS NOT NULL
                              AND p.taken_at BETWEEN clock_timestamp() - make_interval(secs => \(seconds))
                                                 AND clock_timestamp() AS is_fresh
                       OFFSET 0) u
            """, doing: "read the pulse"
        ) { row in
            LatestPulse(
                pulse: try DatabasePulse(json: try row.string()), takenAt: try row.double(),
                workersTookAt: try row.doubleOrNil())
        }
    }
}
