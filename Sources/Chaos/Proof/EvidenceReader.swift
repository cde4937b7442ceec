import Foundation
import HubEmulator
import Postgres

/// Reads the facts when everything has come to rest.
struct EvidenceReader {
    let database: Database
    let emulator: HubEmulator
    /// When the emulator began to count, seconds since 1970.
    let emulatorBegan: Double
    /// Messages that were deleted or erased, or may have been.
    let forgotten: [Facts.Forgotten]
    /// By their numbers in the emulator; of one that is missing here nothing is known. Default: none.
    var faults: [Int: Fault] = [:]

    func facts() async throws -> Facts {
        var facts = Facts()
        facts.messages = try await messages()
        facts.results = try await results()
        facts.posts = try await posts()
        facts.arrivals = emulator.journal().map(arrival)
        facts.gone = try await database.query("SELECT handle FROM push.gone_targets") { rows in
            try rows.map { row in try row.string() }
        }
        facts.lost = try await lost()
        facts.tally = try await tally()
        facts.counted = try await counted()
        facts.changes = try await changes()
        facts.devices = try devices()
        facts.lostChanges = try await database.query(
            "SELECT id || ' of ' || device || ' of ' || hub FROM push.lost_changes LIMIT 100"
        ) { rows in try rows.map { row in try row.string() } }
        return facts
    }

    /// A query of the newest result of each message: id and status.
    static let newest = "SELECT DISTINCT ON (r.id) r.id, r.status FROM push.result r ORDER BY r.id, r.arrival DESC"

    func lost() async throws -> [String] {
        try await database.query("SELECT id || ' ' || problem FROM push.lost LIMIT 100") { rows in
            try rows.map { row in try row.string() }
        }
    }

    func tally() async throws -> [Facts.Count: Int] {
        try await counts(
            "SELECT h.name, t.status::text, t.reason::text, sum(t.n)::bigint FROM push.tally t JOIN push.hub h ON h.id = t.hub GROUP BY 1, 2, 3"
        )
    }

    /// The same, from push.result.
    func counted() async throws -> [Facts.Count: Int] {
        let (ids, hubs) = (forgotten.map(\.id), forgotten.map(\.hub))
        return try await counts(
            """
            SELECT coalesce(m.hub, d.hub, ''), r.status::text, r.reason::text, count(*)
              FROM push.result r
                   LEFT JOIN push.message m ON m.id = r.id
                   LEFT JOIN (SELECT DISTINCT ON (id) id, hub FROM unnest(\(ids), \(hubs)) d(id, hub)) d ON d.id = r.id
             GROUP BY 1, 2, 3
            """)
    }

    private func messages() async throws -> [Facts.Message] {
        try await database.query(
            """
            SELECT m.id, m.hub, m.content::text <> 'null' OR num_nonnulls(m.tag, m.handles, m.meta) > 0,
                   m.tag, m.meta ->> 'marker', coalesce(s.status::text, ''),
                   coalesce(s.status IN ('due', 'retrying', 'scheduled', 'waiting') AND s.next_try < now() - interval '10 s', false)
              FROM push.message m JOIN push.message_status s ON s.id = m.id ORDER BY m.id
            """
        ) { [forgotten] rows in
            let known = Dictionary(forgotten.map { ($0.id, $0) }) { first, _ in first }
            return try rows.map { row in
                let (id, hub) = (try row.int64(), try row.string())
                let hasTexts = try row.bool()
                let before = hasTexts ? nil : known[id]
                return Facts.Message(
                    id: id, hub: hub, tag: try row.stringOrNil() ?? before?.tag,
                    marker: try row.stringOrNil() ?? before?.marker ?? "", status: try row.string(),
                    isOverdue: try row.bool(), hasTexts: hasTexts)
            }
        }
    }

    private func results() async throws -> [Facts.Result] {
        try await database.query(
            """
            SELECT id, post, arrival, extract(epoch FROM at)::double precision, status::text, coalesce(reason::text, '')
              FROM push.result ORDER BY arrival
            """
        ) { rows in
            try rows.map { row in
                Facts.Result(
                    id: try row.int64(), post: try row.int64OrNil(), arrival: try row.int64(),
                    at: try row.double(), status: try row.string(), reason: try row.string())
            }
        }
    }

    private func posts() async throws -> [Facts.Post] {
        try await database.query(
            """
            SELECT p.id, p.ids, a.verdict::text, coalesce(a.tracking_id, a.notification_id), extract(epoch FROM a.at)::double precision
              FROM push.post p LEFT JOIN push.answers a ON a.post = p.id
            """
        ) { rows in
            try rows.map { row in
                let (id, messages) = (try row.int64(), try row.int64Array())
                let verdict = try row.stringOrNil()
                let (receipt, at) = (try row.stringOrNil(), try row.doubleOrNil() ?? 0)
                return Facts.Post(
                    id: id, messages: messages,
                    answer: verdict.map { Facts.Post.Answer($0, receipt: receipt, at: at) })
            }
        }
    }

    private func counts(_ sql: SQL) async throws -> [Facts.Count: Int] {
        let counted = try await database.query(sql) { rows in
            try rows.map { row in
                (
                    Facts.Count(
                        hub: try row.string(), status: try row.string(), reason: try row.stringOrNil() ?? ""),
                    Int(try row.int64())
                )
            }
        }
        return Dictionary(counted) { $0 + $1 }
    }

    private func arrival(_ entry: JournalEntry) -> Facts.Arrival {
        Facts.Arrival(
            number: entry.number, hub: entry.hub, at: emulatorBegan + entry.elapsed, status: entry.status,
            isTaken: entry.taken, isWhole: entry.body != nil,
            isSpoilt: entry.fault.map { faults[$0]?.spoilsAnswers ?? true } ?? false,
            isRefused: entry.fault.map { faults[$0]?.streamCode == .refusedStream } ?? false,
            receipt: entry.tracking ?? entry.notification, post: Self.post(of: entry.notification, at: entry.hub),
            tags: entry.tags,
            markers: SendParser.markers(in: entry.body))
    }

    /// An id of APNs ends with that of the post (docs/wire/fcm-apns.md).
    static func post(of id: String?, at hub: String) -> Int64? {
        guard TestHub(rawValue: hub)?.kind == .apns, let id else { return nil }
        return UInt64(id.filter { $0 != "-" }.suffix(16), radix: 16).map { Int64($0 & 0x3FFF_FFFF_FFFF_FFFF) }
    }
}

extension Facts.Forgotten {
    /// What messages say before they are deleted or erased; those that say nothing any more are left out.
    static func read(_ ids: [Int64], from database: Database) async throws(DatabaseError) -> [Facts.Forgotten] {
        try await database.query(
            "SELECT id, hub, tag, meta ->> 'marker' FROM push.message WHERE id = ANY (\(ids)) AND meta IS NOT NULL"
        ) { rows in
            try rows.map { row in
                Facts.Forgotten(
                    id: try row.int64(), hub: try row.string(), tag: try row.stringOrNil(),
                    marker: try row.stringOrNil() ?? "", at: Date().timeIntervalSince1970)
            }
        }
    }
}
