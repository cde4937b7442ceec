import Foundation
import Postgres

/// Writes mail while everything breaks, and remembers what was confirmed.
actor Backend {
    private let database: Database
    private var generator: MessageGenerator
    private(set) var confirmed: [Facts.Confirmation] = []
    /// INSERTs whose outcome is unknown.
    private(set) var unconfirmed = 0
    /// Errors of INSERTs that retrying cannot cure; each kind is listed once.
    private(set) var faults: Set<String> = []

    init(database: Database, seed: UInt64) {
        self.database = database
        generator = MessageGenerator(seed: seed)
    }

    /// Writes until it is cancelled.
    ///
    /// - Parameter rate: contents a second.
    func write(rate: Double) async {
        while !Task.isCancelled {
            for rows in generator.next() {
                // What comes next may build on it, as translations do on the content whose key they share.
                guard await insert(rows) else { break }
            }
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .seconds(1 / rate))
        }
    }

    /// - Returns: whether it was confirmed.
    private func insert(_ rows: [MessageGenerator.Row]) async -> Bool {
        do {
            let ids = try await database.query(try MessageGenerator.Row.insert(rows), doing: "enqueue") { rows in
                try rows.map { row in try row.int64() }
            }
            let now = Date().timeIntervalSince1970
            confirmed += zip(ids, rows).map { Facts.Confirmation(id: $0, marker: $1.marker, at: now) }
            return true
        } catch {
            unconfirmed += 1
            if (error as? DatabaseError)?.isTransient != true { faults.insert("\(error)") }
            return false
        }
    }
}

extension MessageGenerator.Row {
    /// The INSERT of these rows; returns their ids in this order.
    static func insert(_ rows: [MessageGenerator.Row]) throws -> SQL {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let json = String(decoding: try encoder.encode(rows), as: UTF8.self)
        return """
            INSERT INTO push.message (hub, tag, handles, locale, content, content_key, format, send_at, expires_at,
                                      priority, dedupe_key, on_doubt, meta)
            SELECT hub, tag, handles, locale, content::json, content_key, format,
                   clock_timestamp() + delay * interval '1 s', clock_timestamp() + expires * interval '1 s',
                   priority, dedupe_key, on_doubt, json_build_object('marker', marker)
              FROM json_to_recordset(\(json)::json) r(hub text, tag text, handles text[], locale text, content text,
                   content_key text, format text, delay double precision, expires double precision, priority smallint,
                   dedupe_key text, on_doubt text, marker text)
            RETURNING id
            """
    }
}
