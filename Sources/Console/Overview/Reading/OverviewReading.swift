import Concurrency
import Postgres
import Store

/// Reads the parts of the first page, side by side. Three tabs ask every two seconds, so a part that costs more, or changes seldom, is
/// kept longer.
struct OverviewReading: Sendable {
    let reader: PageReader

    /// Seconds for which a reading of what changes all the time is shared.
    private static let live = 2.0
    /// The same of the backlog: where no worker counts it, this is how often we do.
    private static let backlog = 5.0
    /// The same of the last hour: its numbers are by minute.
    private static let hour = 20.0
    /// The same of approvals.
    private static let decisions = 10.0
    /// The same of what changes by the hour.
    private static let slow = 30.0

    func rows() async -> OverviewRows {
        async let hubs = reader.part("hubs", freshFor: Self.live) { database throws(DatabaseError) in
            try await SystemStatus.hubsWithoutBacklog(from: database)
        }
        async let pulse = reader.part("backlog", freshFor: Self.backlog) { database throws(DatabaseError) in
            try await LatestPulse.read(from: database)
        }
        async let workers = reader.part("workers", freshFor: Self.live) { database throws(DatabaseError) in
            try await SystemStatus.workers(from: database)
        }
        async let runs = reader.part("runs", freshFor: Self.live) { database throws(DatabaseError) in
            try await CampaignStore(database: database).openRuns(limit: OverviewRows.mostRuns)
        }
        async let minutes = reader.part("the last hour", freshFor: Self.hour) { database throws(DatabaseError) in
            try await MinuteCounts.read(from: database)
        }
        async let approvals = approvals()
        async let schema = reader.part("schema", freshFor: Self.slow) { database throws(DatabaseError) in
            try await Self.typed("look for the schema") { try await Schema(database: database).standing() }
        }
        async let server = reader.part("server", freshFor: Self.slow) { database throws(DatabaseError) in
            try await Self.server(database)
        }
        async let snapshots = reader.part("snapshots", freshFor: Self.decisions) { database throws(DatabaseError) in
            try await Diagnosis(database: database).snapshots()
        }
        async let findings = reader.part("tables", freshFor: Self.slow) { database throws(DatabaseError) in
            try await Self.findings(Diagnosis(database: database))
        }
        async let schedules = reader.part("schedules", freshFor: Self.slow) { database throws(DatabaseError) in
            try await CampaignStore(database: database).scheduleNotes(limit: OverviewRows.mostRuns)
        }
        async let failedRuns = reader.part("failed runs", freshFor: Self.slow) { database throws(DatabaseError) in
            try await CampaignStore(database: database).failedRuns(limit: OverviewRows.mostRuns)
        }
        return await OverviewRows(
            hubs: hubs, workers: workers, pulse: pulse, minutes: minutes, runs: runs, schedules: schedules,
            failedRuns: failedRuns, findings: findings, snapshots: snapshots, server: server, schema: schema,
            approvals: approvals)
    }

    private func approvals() async -> Part<[CampaignStore.Unapproved]>? {
        guard reader.person.may(.approve) else { return nil }
        return await reader.part("approvals", as: .approve, freshFor: Self.decisions) {
            database throws(DatabaseError) in
            try await CampaignStore(database: database).unapproved(limit: OverviewRows.mostRuns)
        }
    }

    private static func findings(_ diagnosis: Diagnosis) async throws(DatabaseError) -> [Finding] {
        [
            DatabaseFindings.partitions(try await diagnosis.tablesWithoutPartitionAhead()),
            DatabaseFindings.deadRows(try await diagnosis.tablesInNeedOfVacuum()),
            DatabaseFindings.locks(try await diagnosis.lockWaits(atLeast: DatabaseFindings.lockTolerance)),
            DatabaseFindings.incidents(try await diagnosis.incidents()),
        ]
    }

    private static func server(_ database: Database) async throws(DatabaseError) -> [Finding] {
        var facts = try await typed("read the server's settings") {
            try await ServerFacts.read(from: database, clock: SystemClock.wallSeconds)
        }
        // Our own transactions are read-only on every server.
        facts.isReadOnly = false
        // That there is a pooler in front of us says nothing about the workers.
        facts.isPooled = false
        return ServerFindings.of(facts)
    }

    /// - Parameter doing: to follow "cannot", for an error that is not the database's.
    private static func typed<Value: Sendable>(
        _ doing: String, _ read: () async throws -> Value
    ) async throws(DatabaseError) -> Value {
        do {
            return try await read()
        } catch {
            throw error as? DatabaseError ?? DatabaseError(doing: doing, message: "\(error)")
        }
    }
}
