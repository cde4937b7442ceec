import Campaigns
import Postgres
import PushWorker
import Store

/// Whether this machine, whose zones schedules follow, and PostgreSQL, whose zones local runs and windows follow, have the
/// same time zones.
enum DoctorZones {
    private static let area = "database"
    private static let name = "time zones"

    /// - Returns: nothing for the login of a backend, on whose machine no schedule is worked out.
    static func findings(_ database: Database, _ access: RoleAccess) async throws(DatabaseError) -> [Finding] {
        guard access.mayCheck || access.mayReadSchedules else { return [] }
        let zones = TimeZones()
        do throws(TimeZoneError) {
            try zones.check()
        } catch {
            return [.fail(area, name, "\(error)", remedy: "\(error.hint) No worker begins without.")]
        }
        let known = ZonesInDatabase(database: database)
        let ours = ZoneComparison(
            of: zones, used: try await known.used(access), now: Int(Clock.system.wall()))
        let theirs = try await known.offsets(
            ours.zones.flatMap { zone in zone.instants.map { _ in zone.name } },
            at: ours.zones.flatMap { $0.instants.map(Int64.init) })
        return [
            .list(
                area, name, ours.differences(from: theirs.mapValues { $0.map(Int.init) }).map(\.description),
                none: "the same here and in PostgreSQL, for two years", as: .warn,
                remedy: "Schedules follow the tzdata of the workers' machines, local runs and windows that of "
                    + "PostgreSQL. Update the package tzdata here and on PostgreSQL's machine, and restart PostgreSQL, "
                    + "which keeps what it has read.")
        ]
    }
}
