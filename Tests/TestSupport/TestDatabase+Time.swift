import Postgres

/// The database's clock, for tests of what is written as "now": a test that compares two statements by the minute fails
/// whenever the machine, or the minute, comes between them.
extension TestDatabase {
    /// The one time that a query returns.
    public func time(_ sql: SQL) async throws -> Timestamp {
        try await database.query(sql) { rows in try rows.single { row in try row.timestamp() } }
    }

    /// When `body` ran. What it wrote as now lies in between.
    public func instants(of body: () async throws -> Void) async throws -> ClosedRange<Timestamp> {
        let began = try await time("SELECT clock_timestamp()")
        try await body()
        return began...(try await time("SELECT clock_timestamp()"))
    }
}
