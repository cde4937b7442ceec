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

    /// Seconds two clocks may differ before it is worth a line.
    static let clockTolerance = 5.0
    /// Seconds after which a transaction that is still open keeps too many dead rows.
    static let snapshotTolerance = 300.0
    /// Seconds for which readers of results may wait for an open transaction, as in `push.check`.
    static let resultsTolerance = 60.0

    /// Seconds for which a session may wait for a lock, as in `push.check`.
    static let lockTolerance = 10.0

    init(_ database: Database, deep: Bool) {
        self.database = database
        self.deep = deep
    }

    /// - Throws: `DatabaseError` when the database is out of reach.
    func findings() async throws -> [DoctorFinding] {
        let server = try await ServerFacts.read(from: database, clock: Clock.system.wall)
        var findings = facts(of: server) + settings(try await database.brokenSettings())
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
    private func settings(_ broken: [BrokenSetting]) -> [DoctorFinding] {
        guard !broken.isEmpty else { return [.ok(area, "settings", "as needed")] }
        return broken.map { .fail(area, "settings", "\($0)", remedy: "\($0.remedy).") }
    }

    private func clock(_ difference: ClockDifference) -> DoctorFinding {
        guard abs(difference.seconds) > Self.clockTolerance + difference.error else {
            return .ok(area, "clock", "differs from ours by less than \(Int(Self.clockTolerance)) s")
        }
        let found = "the server is \(Self.difference(difference.seconds)) us"
        guard difference.isTooLarge else {
            return .warn(
                area, "clock", found,
                remedy: "Set both by NTP: send_at and expires_at are compared with the server's clock.")
        }
        return .fail(
            area, "clock", found,
            remedy:
                "Set both by NTP (timedatectl set-ntp true): beyond \(Int(ClockDifference.tolerance)) s no worker begins."
        )
    }

    private func facts(of server: ServerFacts) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        findings.append(
            server.versionNumber >= 150_000
                ? .ok(area, "PostgreSQL", "\(server.version), as role \(server.role)")
                : .fail(area, "PostgreSQL", server.version, remedy: "Fanfare needs PostgreSQL 15 or newer."))
        if server.isStandby || server.isReadOnly {
            findings.append(
                .fail(
                    area, "writing",
                    server.isStandby ? "this server is a standby" : "transactions are read-only: workers wait",
                    remedy: "Name the primary in database.url (several hosts with target_session_attrs=read-write)."))
        }
        if server.isPooled {
            findings.append(
                .warn(
                    area, "pooler", "a pooler stands between us and the server",
                    remedy:
                        "Works, all but dispatch.listen; with pgbouncer before 1.21 in transaction mode set database.prepare to "
                        + "\"never\"."))
        }
        findings.append(clock(server.clock))
        if !server.autovacuum {
            findings.append(
                .fail(
                    area, "autovacuum", "is off",
                    remedy: "Switch it on: a queue without it slows down within the hour."))
        }
        if !server.fsync {
            findings.append(
                .warn(
                    area, "durability", "fsync is off",
                    remedy: "A crash of the machine may lose what was enqueued, and repeat what was posted."))
        } else if server.synchronousCommit == "off" {
            findings.append(
                .warn(
                    area, "durability", "synchronous_commit is off",
                    remedy:
                        "A crash of the server may lose what backends enqueued last, if they have it off, too; what "
                        + "workers write before and after a post is always synchronous."))
        }
        return findings
    }

    /// What the role at hand may look at; the rest is named as skipped.
    private func contents() async throws -> [DoctorFinding] {
        let access = try await RoleAccess.read(from: database)
        let rights = DoctorRights.finding(access)
        // Nothing below can be asked by a role that may not read it.
        guard rights.grade == .ok else { return [rights] }
        let diagnosis = Diagnosis(database: database)
        var findings = [rights, DoctorRights.audiences(access)]
        if access.mayCheck {
            findings.append(
                .list(
                    area, "partitions", try await diagnosis.tablesWithoutPartitionAhead(),
                    none: "there is one ahead of need",
                    as: .warn, remedy: "Start a worker, or run: SELECT push.make_partitions()"))
        }
        findings.append(
            .list(
                area, "dead rows", try await diagnosis.tablesInNeedOfVacuum(), none: "are cleared away", as: .warn,
                remedy: "Look for an old snapshot (push.snapshot_holders), or run VACUUM on the table."))
        if access.mayReadViews {
            findings += try await snapshots(diagnosis)
            findings.append(
                .list(
                    area, "locks", try await diagnosis.lockWaits(atLeast: Self.lockTolerance),
                    none: "nobody waits for one",
                    as: .warn, remedy: "SELECT * FROM push.lock_waits names all of them."))
        }
        if access.mayCheck {
            findings.append(
                .list(
                    area, "incidents", try await diagnosis.incidents(), none: "none in the last day", as: .warn,
                    remedy: "See what and why: SELECT at, action, detail FROM push.audit ORDER BY id DESC"))
        }
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

    private func snapshots(_ diagnosis: Diagnosis) async throws -> [DoctorFinding] {
        let name = "oldest snapshot"
        let young = "younger than \(HumanFormat.duration(Self.snapshotTolerance))"
        let holders = try await diagnosis.snapshots()
        let waiting = holders.filter { $0.kind == "results" && ($0.seconds ?? 0) > Self.resultsTolerance }.map(results)
        // A slot that has no time of its own holds for as long as it exists.
        let logs = holders.filter { $0.kind == "log" }.map { slot in
            DoctorFinding.warn(area, "WAL", "replication slot \(slot.holder) holds it", remedy: "\(slot.remedy).")
        }
        let old = holders.filter {
            $0.kind != "results" && $0.kind != "log" && ($0.seconds ?? .infinity) > Self.snapshotTolerance
        }
        guard !old.isEmpty else { return waiting + logs + [.ok(area, name, young)] }
        let found = old.map { holder in
            let since = holder.seconds.map { " for \(HumanFormat.duration($0))" } ?? ""
            let sessions = HumanFormat.count(Int(holder.holder) ?? 0, "session")
            return DoctorFinding.warn(
                area, name,
                holder.kind == "hidden"
                    ? "\(young) as far as can be seen: \(sessions) of other roles cannot"
                    : "\(holder.kind) \(holder.holder)\(whose(holder)) keeps the queue's dead rows\(since)",
                remedy: "\(holder.remedy).")
        }
        return waiting + logs + found
    }

    /// A session that leaves its transaction open after it repeated a `dedupe_key`.
    private func results(waitFor holder: SnapshotHolder) -> DoctorFinding {
        .warn(
            area, "results",
            "readers of results wait for session \(holder.holder)\(whose(holder)), whose transaction is open for "
                + HumanFormat.duration(holder.seconds ?? 0), remedy: "\(holder.remedy).")
    }

    /// ` (report, psql)`; empty: unknown.
    private func whose(_ holder: SnapshotHolder) -> String {
        let who = [holder.role, holder.application].compactMap(\.self).filter { !$0.isEmpty }
        return who.isEmpty ? "" : " (\(who.joined(separator: ", ")))"
    }

    /// `12 s ahead of`, `3 min behind`.
    static func difference(_ ahead: Double) -> String {
        "\(HumanFormat.duration(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind")"
    }
}
