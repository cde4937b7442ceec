import PushModel

/// What `Diagnosis` saw of a database, in words: what keeps the queue from being kept clean. Pure.
package enum DatabaseFindings {
    private static let area = "database"

    /// Seconds after which a transaction that is still open keeps too many dead rows.
    package static let snapshotTolerance = 300.0
    /// Seconds for which readers of results may wait for an open transaction, as in `push.check`.
    package static let resultsTolerance = 60.0
    /// Seconds for which a session may wait for a lock, as in `push.check`.
    package static let lockTolerance = 10.0

    /// - Parameter tables: of `tablesWithoutPartitionAhead`.
    package static func partitions(_ tables: [String]) -> Finding {
        .list(
            area, "partitions", tables, none: "there is one ahead of need", as: .warn,
            remedy: "Start a worker, or run: SELECT push.make_partitions()")
    }

    /// - Parameter tables: of `tablesInNeedOfVacuum`.
    package static func deadRows(_ tables: [String]) -> Finding {
        .list(
            area, "dead rows", tables, none: "are cleared away", as: .warn,
            remedy: "Look for an old snapshot (push.snapshot_holders), or run VACUUM on the table.")
    }

    /// - Parameter waits: of `lockWaits(atLeast: lockTolerance)`.
    package static func locks(_ waits: [String]) -> Finding {
        .list(
            area, "locks", waits, none: "nobody waits for one", as: .warn,
            remedy: "SELECT * FROM push.lock_waits names all of them.")
    }

    package static func incidents(_ incidents: [String]) -> Finding {
        .list(
            area, "incidents", incidents, none: "none in the last day", as: .warn,
            remedy: "See what and why: SELECT at, action, detail FROM push.audit ORDER BY id DESC")
    }

    package static func snapshots(_ holders: [SnapshotHolder]) -> [Finding] {
        let name = "oldest snapshot"
        let young = "younger than \(HumanFormat.duration(snapshotTolerance))"
        let waiting = holders.filter { $0.kind == "results" && ($0.seconds ?? 0) > resultsTolerance }.map(results)
        // A slot that has no time of its own holds for as long as it exists.
        let logs = holders.filter { $0.kind == "log" }.map { slot in
            Finding.warn(area, "WAL", "replication slot \(slot.holder) holds it", remedy: "\(slot.remedy).")
        }
        let old = holders.filter {
            $0.kind != "results" && $0.kind != "log" && ($0.seconds ?? .infinity) > snapshotTolerance
        }
        guard !old.isEmpty else { return waiting + logs + [.ok(area, name, young)] }
        let found = old.map { holder in
            let since = holder.seconds.map { " for \(HumanFormat.duration($0))" } ?? ""
            let sessions = HumanFormat.count(Int(holder.holder) ?? 0, "session")
            return Finding.warn(
                area, name,
                holder.kind == "hidden"
                    ? "\(young) as far as can be seen: \(sessions) of other roles cannot"
                    : "\(holder.kind) \(holder.holder)\(whose(holder)) keeps the queue's dead rows\(since)",
                remedy: "\(holder.remedy).", since: holder.since)
        }
        return waiting + logs + found
    }

    /// A session that leaves its transaction open after it repeated a `dedupe_key`.
    private static func results(waitFor holder: SnapshotHolder) -> Finding {
        .warn(
            area, "results",
            "readers of results wait for session \(holder.holder)\(whose(holder)), whose transaction is open for "
                + HumanFormat.duration(holder.seconds ?? 0), remedy: "\(holder.remedy).", since: holder.since)
    }

    /// ` (report, psql)`; empty: unknown.
    private static func whose(_ holder: SnapshotHolder) -> String {
        let who = [holder.role, holder.application].compactMap(\.self).filter { !$0.isEmpty }
        return who.isEmpty ? "" : " (\(who.joined(separator: ", ")))"
    }
}
