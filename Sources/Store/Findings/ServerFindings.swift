import PushModel

/// What a server is and how it is set, in words. Pure.
package enum ServerFindings {
    private static let area = "database"

    /// Seconds two clocks may differ before it is worth a line.
    package static let clockTolerance = 5.0

    package static func of(_ server: ServerFacts) -> [Finding] {
        var findings: [Finding] = []
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

    private static func clock(_ difference: ClockDifference) -> Finding {
        guard abs(difference.seconds) > clockTolerance + difference.error else {
            return .ok(area, "clock", "differs from ours by less than \(Int(clockTolerance)) s")
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

    /// `12 s ahead of`, `3 min behind`.
    package static func difference(_ ahead: Double) -> String {
        "\(HumanFormat.duration(abs(ahead))) \(ahead > 0 ? "ahead of" : "behind")"
    }
}
