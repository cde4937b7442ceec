import Foundation
import Postgres
import PushModel

/// A hostile application that may only enqueue: rows as large and odd as the rules allow, keys of others,
/// transactions that stay open, and statements that must be refused.
actor HostileTraffic {
    private let database: Database
    private var random: SeededRandom
    private var number = 0
    private(set) var confirmed: [Facts.Confirmation] = []
    private(set) var actions: [String: Int] = [:]
    /// Statements that had to be refused and were not.
    private(set) var successes: Set<String> = []

    /// - Parameter database: as a role that is a member of `push_enqueue` and nothing else.
    init(database: Database, seed: UInt64) {
        self.database = database
        random = SeededRandom(seed: seed)
    }

    /// Works until it is cancelled.
    func work() async {
        while !Task.isCancelled {
            do {
                try await act()
            } catch {
                actions["stranger: unanswered", default: 0] += 1
            }
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .milliseconds(Int.random(in: 100...600, using: &random)))
        }
    }

    private func act() async throws {
        number += 1
        switch Int.random(in: 0..<7, using: &random) {
        case 0: try await enqueue("large handles", largeHandles())
        case 1: try await enqueue("large contents", largeContents())
        case 2: try await enqueue("odd tags and times", oddRows())
        case 3: try await enqueue("keys of others", keysOfOthers())
        case 4: try await stayOpen()
        default: await tryWhatIsForbidden()
        }
    }

    private func enqueue(_ what: String, _ rows: [MessageGenerator.Row]) async throws {
        let ids = try await database.withConnection { connection in try await Self.insert(rows, over: connection) }
        confirm(rows, ids)
        actions["stranger: \(what)", default: 0] += rows.count
    }

    private func confirm(_ rows: [MessageGenerator.Row], _ ids: [Int64]) {
        let now = Date().timeIntervalSince1970
        confirmed += zip(ids, rows).map { Facts.Confirmation(id: $0, marker: $1.marker, at: now) }
    }

    // MARK: - Rows

    private func row(_ part: Int, content: String? = nil) -> MessageGenerator.Row {
        let marker = "s\(number).\(part)"
        var row = MessageGenerator.Row(
            hub: "news", tag: marker, content: content ?? "{\"message\":\"#\(marker)#\"}", marker: marker)
        row.priority = Int.random(in: 0...2, using: &random)
        return row
    }

    /// About half a megabyte each.
    private func largeHandles() -> [MessageGenerator.Row] {
        (0..<3).map { part in
            var row = row(part)
            row.tag = nil
            row.format = "apple"
            row.content = "{\"aps\":{\"alert\":\"#\(row.marker)#\"}}"
            row.handles = (0..<125).map { String(repeating: "a", count: 4_079) + "\(100 + $0)" }
            return row
        }
    }

    private func largeContents() -> [MessageGenerator.Row] {
        (0..<10).map { part in
            let filler = String(repeating: "\\u0041", count: 9_000)
            return row(part, content: "{\"message\":\"#s\(number).\(part)#\",\"filler\":\"\(filler)\"}")
        }
    }

    private func oddRows() -> [MessageGenerator.Row] {
        var rows = (0..<4).map { row($0) }
        rows[0].tag = "s\(number)_0@.:-" + String(repeating: "x", count: 60)
        rows[1].tag = (0..<20).map { "s\(number).1.\($0)" }.joined(separator: " || ")
        rows[2].delay = -86_400 * 365
        rows[3].expires = 0.001
        return rows
    }

    private func keysOfOthers() -> [MessageGenerator.Row] {
        var row = row(0)
        row.dedupeKey = "once-\(Int.random(in: 1...2_000, using: &random))"
        return [row]
    }

    // MARK: - Harm

    /// A transaction that commits late, or never, with rows that are due long before.
    private func stayOpen() async throws {
        let rows = [row(0), row(1)]
        let seconds = Double.random(in: 0.5...6, using: &random)
        let isKept = Bool.random(using: &random)
        try await database.withConnection { connection in
            try await connection.execute("BEGIN")
            let ids = try await Self.insert(rows, over: connection)
            try await Task.sleep(for: .seconds(seconds))
            try await connection.execute(isKept ? "COMMIT" : "ROLLBACK")
            if isKept { confirm(rows, ids) }
        }
        actions["stranger: open transactions", default: 0] += 1
    }

    private static let forbidden = [
        "SELECT content FROM push.message LIMIT 1", "SELECT dedupe_key FROM push.message LIMIT 1",
        "UPDATE push.message SET priority = 0", "DELETE FROM push.message", "TRUNCATE push.message",
        "INSERT INTO push.message (id, hub, tag, content) OVERRIDING SYSTEM VALUE VALUES (1, 'news', 'x', '{}')",
        "DO 'BEGIN LOCK TABLE push.due; END'", "SELECT FROM push.lock FOR UPDATE",
        "SELECT push_worker.forget_keys_v1(1)",
        "SELECT push.erase('{1}')",
        "SELECT * FROM push_worker.claim_v1(1, 1::smallint, '-infinity', 0, NULL, 1, 1, 1)",
        "SELECT push.rescue(1, force => true)", "SELECT push_worker.begin_timeline_v1()",
        "SELECT nextval('push.claim_id')",
        "SELECT setval('push.claim_id', 1)", "CREATE FUNCTION push.f() RETURNS int LANGUAGE sql RETURN 1",
    ]

    private func tryWhatIsForbidden() async {
        guard let statement = Self.forbidden.randomElement(using: &random) else { return }
        actions["stranger: forbidden", default: 0] += 1
        do throws(DatabaseError) {
            try await database.execute("\(raw: statement)")
            successes.insert("a role that may only enqueue did: \(statement)")
        } catch {
            if !error.isTransient, !error.is(.insufficientPrivilege) {
                successes.insert("\(statement) was not refused for lack of a right: \(error)")
            }
        }
    }

    private static func insert(_ rows: [MessageGenerator.Row], over connection: Connection) async throws -> [Int64] {
        try await connection.query(try MessageGenerator.Row.insert(rows), doing: "enqueue") { rows in
            try rows.map { row in try row.int64() }
        }
    }
}
