import Postgres

/// How far the server's clock is from this machine's.
public struct ClockDifference: Sendable, Equatable {
    /// The server's clock minus ours, corrected by half the round trip.
    public var seconds: Double
    /// Half the round trip: the difference may be wrong by this much.
    public var error: Double

    /// Beyond this a worker does not begin: tokens are signed by its clock.
    public static let tolerance = 60.0

    public init(seconds: Double, error: Double) {
        self.seconds = seconds
        self.error = error
    }

    /// Whether it is certainly larger than the tolerance.
    public var isTooLarge: Bool { abs(seconds) - error > Self.tolerance }
}

extension ClockDifference {
    /// - Parameter clock: seconds since 1970 by this machine's clock.
    public static func measure(from database: Database, clock: @escaping @Sendable () -> Double)
        async throws(DatabaseError) -> ClockDifference
    {
        // A connection that is open: making one would count as a round trip.
        try await database.execute("SELECT", doing: "read the server's clock")
        let before = clock()
        let server = try await database.query(
            "SELECT extract(epoch FROM pg_catalog.clock_timestamp())::double precision",
            doing: "read the server's clock"
        ) { rows in try rows.single { row in try row.double() } }
        let after = clock()
        return ClockDifference(seconds: server - (before + after) / 2, error: abs(after - before) / 2)
    }
}
