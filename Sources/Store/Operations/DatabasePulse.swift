import Foundation
import Postgres

/// What is pending, in doubt and alive: `push.read_pulse`, which costs about the same with a thousand messages as with ten
/// million.
public struct DatabasePulse: Sendable, Codable, Equatable {
    /// One hub and priority. A flag marks a count that stopped; translations of one content count once.
    public struct Lane: Sendable, Codable, Equatable {
        public var hub: String
        /// 0 urgent, 1 normal, 2 bulk.
        public var priority: Int
        /// Pointers that are due.
        public var due: Int64
        /// There are more than `due`.
        public var moreDue: Bool
        /// Pointers that are scheduled, or wait for another try.
        public var later: Int64
        /// There are more than `later`.
        public var moreLater: Bool
        /// Seconds for which the oldest has been due; nil: none is.
        public var waiting: Double?
    }

    public struct Doubts: Sendable, Codable, Equatable {
        public var hub: String
        public var messages: Int64
    }

    public struct Workers: Sendable, Codable, Equatable {
        /// Those that beat in their last two leases.
        public var alive: Int
        /// The others, which nobody has rescued yet.
        public var silent: Int
        /// Seconds since the oldest last heartbeat; nil: there is no worker.
        public var oldestBeat: Double?
    }

    /// Changes of devices without a final result.
    public struct Devices: Sendable, Codable, Equatable {
        public var hub: String
        public var waiting: Int64
        /// There are more than `waiting`.
        public var more: Bool
    }

    /// A run of a campaign that has not ended.
    public struct Run: Sendable, Codable, Equatable {
        public var campaign: String
        /// Its key: any text.
        public var run: String
        /// As `push.run_state`.
        public var state: String
        /// By final status as in `push.status`, and `open`: messages in slices that are not through. Statuses without messages
        /// are left out, but for `open`; nil: not counted, because it has too many slices.
        public var messages: [String: Int64]?
    }

    /// All registered hubs.
    public var hubs: [String]
    /// Those that have a pointer.
    public var lanes: [Lane]
    /// By hub; hubs without any are left out.
    public var inDoubt: [Doubts]
    /// Older doubts were not looked at: there may be more than `inDoubt`.
    public var moreInDoubt: Bool
    public var workers: Workers
    /// Rows in DEFAULT partitions, at most 1,000 of each table.
    public var defaultRows: Int64
    /// By hub; hubs without any are left out.
    public var devices: [Devices]
    /// Campaigns of which the newest revision is not sent, because nobody approved it; at most 10,000.
    public var campaignsUnapproved: Int64
    /// The newest 100, without tests.
    public var runs: [Run]
    /// Runs whose messages are not in `runs`.
    public var runsOmitted: Int64
    /// Runs that stand because too much failed or their audience cannot be read.
    public var runsPausedByThemselves: Int64
    /// Seconds for which the oldest snapshot of a session or a prepared transaction is held; 0: no such snapshot.
    public var snapshotHeld: Double
    /// Seconds for which an open transaction has kept results from their readers; 0: no such transaction.
    public var resultsHeld: Double

    /// Looks now.
    ///
    /// - Throws: `DatabaseError` 42501 unless the role is a member of `push_worker`, `push_monitor` or `push_operator`.
    public static func take(from database: Database) async throws(DatabaseError) -> DatabasePulse {
        try await database.single("SELECT push.read_pulse()::text", doing: "take the pulse") { row in
            try DatabasePulse(json: try row.string())
        }
    }

    init(json: String) throws(DatabaseError) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            self = try decoder.decode(DatabasePulse.self, from: Data(json.utf8))
        } catch {
            throw DatabaseError(doing: "read a pulse", message: "\(error)")
        }
    }
}

extension Workers {
    /// A pulse that one worker took for all.
    public struct SharedPulse: Sendable, Equatable {
        public var pulse: DatabasePulse
        /// Seconds since it was taken.
        public var age: Double
        /// The worker that took it.
        public var takenBy: Int32
        /// How long that took.
        public var milliseconds: Double
        /// The caller took it just now.
        public var isNew: Bool
    }

    /// Reads the pulse that a worker took last. When it is old, the first that asks takes a new one; the others get the
    /// old one meanwhile.
    ///
    /// - Parameters:
    ///   - every: seconds after which it is old.
    ///   - seconds: how long that may take.
    /// - Returns: nil: no worker has taken one yet.
    /// - Throws: `DatabaseError`: `queryCancelled` when it took longer.
    public func sharePulse(
        _ me: WorkerID, every: Double, within seconds: Double
    ) async throws(DatabaseError) -> SharedPulse? {
        do {
            return try await database.withTransaction { connection in
                // What is lost in a crash is taken again 15 s later, so nobody waits for a disk or a standby.
                try await connection.execute(
                    """
                    SELECT set_config('statement_timeout', \("\(Int(1_000 * seconds))"), true),
                           set_config('synchronous_commit', 'off', true)
                    """, doing: "take the pulse")
                return try await connection.query(
                    """
                    SELECT reading::text, age_seconds, taken_by, milliseconds::double precision, is_new
                      FROM push_worker.take_pulse_v1(\(me.number), \(every)) WHERE reading IS NOT NULL
                    """, doing: "take the pulse"
                ) { rows in
                    try rows.first { row in
                        SharedPulse(
                            pulse: try DatabasePulse(json: try row.string()), age: try row.double(),
                            takenBy: try row.int32(), milliseconds: try row.double(), isNew: try row.bool())
                    }
                }
            }
        } catch let error as DatabaseError {
            throw error.cutShort(after: seconds)
        } catch {
            // The closure throws nothing else; a cancelled task ends its statement as a `DatabaseError`, too.
            throw DatabaseError(doing: "take the pulse", message: "\(error)")
        }
    }
}
