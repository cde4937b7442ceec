import Postgres

/// A part of the protocol taken out of the database, to see that a run finds the damage.
public enum ProtocolMutation: String, Sendable, CaseIterable {
    /// Rescue calls unanswered posts unsent.
    case rescueIgnoresPosts
    /// Completion takes every claim for its own.
    case completionIgnoresTheClaim
    /// After a fail-over the numbers of claims go on where the new server was. Only with `--asynchronous`.
    case numbersComeAgain
    /// A change of a device that failed is not tried again.
    case failedChangesAreForgotten

    var function: String {
        switch self {
        case .rescueIgnoresPosts: "push_internal.rescue_claim"
        case .completionIgnoresTheClaim: "push_worker.complete_v1"
        case .numbersComeAgain: "push_worker.begin_timeline_v1"
        case .failedChangesAreForgotten: "push_worker.complete_devices_v1"
        }
    }

    /// What stands in the function, and what it is replaced with.
    var change: (from: String, to: String) {
        switch self {
        case .rescueIgnoresPosts:
            ("AND NOT EXISTS (SELECT FROM push.answer a WHERE a.post = p.id OFFSET 0)", "AND false")
        case .completionIgnoresTheClaim: ("FOR SHARE SKIP LOCKED);", "FOR SHARE SKIP LOCKED); ours := asked;")
        case .numbersComeAgain: ("nextval('push.claim_id') + step", "nextval('push.claim_id')")
        case .failedChangesAreForgotten: ("WHERE g.is_open", "WHERE false")
        }
    }

    /// - Throws: `ChaosError` when the function has changed so that there is nothing to take out.
    func apply(to database: Database) async throws {
        let name = function
        let whole = try await database.query("SELECT pg_get_functiondef(\(name)::regproc)") { rows in
            try rows.first { row in try row.string() } ?? ""
        }
        let broken = whole.replacing(change.from, with: change.to)
        guard broken != whole else { throw ChaosError("\(function) does not hold \(change.from) any more") }
        try await database.script(broken)
    }
}
