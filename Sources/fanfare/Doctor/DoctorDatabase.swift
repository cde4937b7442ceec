import CommandLineTool
import PushModel
import PushWorker
import Postgres
import Store

/// The database of the settings: the server, the schema in it, and what keeps the queue from being kept clean.
struct DoctorDatabase {
    let database: Database
    /// Also reads every message there is.
    let deep: Bool
    private let area = "database"

    init(_ database: Database, deep: Bool) {
        self.database = database
        self.deep = deep
    }

    /// - Throws: `DatabaseError` when the database is out of reach.
    func findings() async throws -> [Finding] {
        let server = try await ServerFacts.read(from: database, clock: Clock.system.wall)
        var findings = ServerFindings.of(server) + settings(try await database.brokenSettings())
        let schema: [String]
        let notice: String?
        do {
            schema = try await Schema(database: database).verify()
            notice = try await Schema(database: database).standing().notice
        } catch let error as DatabaseError where error.is(.insufficientPrivilege) {
            // Not even the schema can be read.
            return findings + [DoctorRights.noGroup(server.role, found: error.message)]
        }
        findings.append(
            .list(
                area, "schema", schema, none: notice ?? "current, as this build made it", as: .fail,
                remedy: "Each line says what to run."))
        // Nothing below can be asked of a schema that is not there or not ours.
        guard schema.isEmpty else { return findings }
        return try await findings + contents()
    }

    /// Settings of the server that a session of ours can neither work with nor set: `fanfare run` does not begin.
    private func settings(_ broken: [BrokenSetting]) -> [Finding] {
        guard !broken.isEmpty else { return [.ok(area, "settings", "as needed")] }
        return broken.map { .fail(area, "settings", "\($0)", remedy: "\($0.remedy).") }
    }

    /// What the role at hand may look at; the rest is named as skipped.
    private func contents() async throws -> [Finding] {
        let access = try await RoleAccess.read(from: database)
        let rights = DoctorRights.finding(access)
        // Nothing below can be asked by a role that may not read it.
        guard rights.grade == .ok else { return [rights] }
        let diagnosis = Diagnosis(database: database)
        var findings = [rights, DoctorRights.audiences(access)]
        if access.mayCheck {
            findings.append(DatabaseFindings.partitions(try await diagnosis.tablesWithoutPartitionAhead()))
        }
        findings.append(DatabaseFindings.deadRows(try await diagnosis.tablesInNeedOfVacuum()))
        if access.mayReadViews {
            findings += DatabaseFindings.snapshots(try await diagnosis.snapshots())
            findings.append(
                DatabaseFindings.locks(try await diagnosis.lockWaits(atLeast: DatabaseFindings.lockTolerance)))
        }
        if access.mayCheck { findings.append(DatabaseFindings.incidents(try await diagnosis.incidents())) }
        if deep, access.mayReadViews {
            findings.append(
                .list(
                    area, "lost messages", try await diagnosis.lost(limit: 20), none: "none (push.lost is empty)",
                    as: .fail,
                    remedy: "This must never be. Keep the database as it is and report it with the rows of push.lost."))
            findings.append(
                .list(
                    area, "lost changes", try await diagnosis.lostChanges(limit: 20),
                    none: "none (push.lost_changes is empty)", as: .fail,
                    remedy: "This must never be. Keep the database as it is and report it with the rows of "
                        + "push.lost_changes. To help the devices, put them again."))
        }
        findings += try await DoctorZones.findings(database, access)
        return findings + [DoctorRights.skipped(access, deep: deep)].compactMap(\.self)
    }
}
