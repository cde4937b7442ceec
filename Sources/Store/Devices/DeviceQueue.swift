import Postgres
import PushModel

/// The changes of devices in the database, one statement per step. The SQL itself is in
/// `migrations/functions/devices/apply_devices.sql`.
public struct DeviceQueue: Sendable {
    let database: Database
    public let worker: WorkerID

    public init(database: Database, worker: WorkerID) {
        self.database = database
        self.worker = worker
    }

    /// Whether a hub has something due.
    public struct Question: Sendable {
        public var hub: Int32
        public var position: DuePosition
        /// Look from this many seconds ago at the latest, by the database's clock; nil: from `position`.
        public var back: Double?

        public init(hub: Int32, position: DuePosition, back: Double? = nil) {
            self.hub = hub
            self.position = position
            self.back = back
        }
    }

    /// Asks, with one statement, which hubs have a change due and take it now.
    public func look(_ hubs: [Question]) async throws(DatabaseError) -> Set<Int32> {
        try await database.single(
            """
            SELECT push_worker.look_devices_v1(\(hubs.map(\.hub)), \(hubs.map(\.position.dueAt)), \(hubs.map(\.position.id)),
                                        \(hubs.map(\.back)))
            """, doing: "look for changes of devices"
        ) { row in Set(try row.int32Array()) }
    }

    /// Every hub that has a change due and takes it now, of those that others serve too. Unlike `look`, it costs nothing for
    /// hubs without a pointer, and more for busy ones: it begins at their oldest pointer, dead or alive.
    public func dueHubs() async throws(DatabaseError) -> Set<Int32> {
        try await database.single(
            "SELECT push_worker.due_device_hubs_v1()", doing: "look for hubs with changes of devices"
        ) {
            row in Set(try row.int32Array())
        }
    }

    /// Takes up to `limit` devices with a change that is due after `position`.
    ///
    /// - Parameter back: as in `Question`.
    /// - Returns: nil when nothing is due, or another worker took it, or the hub takes none.
    /// - Throws: `DatabaseError`. When the connection broke, the claims may exist all the same: `giveBack`.
    public func claim(
        hub: Int32, after position: DuePosition, back: Double? = nil, limit: Int32
    ) async throws(DatabaseError) -> ClaimedDevices? {
        let rows = try await database.query(
            """
            SELECT at, pointer, claim, device, id, action, document, attempt
              FROM push_worker.claim_devices_v1(\(hub), \(position.dueAt), \(position.id), \(back), \(limit), \(worker.number),
                                         \(worker.epoch))
            """, doing: "claim devices"
        ) { rows in
            try rows.map { row in
                (
                    position: DuePosition(dueAt: try row.timestamp(), id: try row.int64()),
                    claim: try row.int64(), device: try row.string(), change: try Self.change(&row)
                )
            }
        }
        guard let last = rows.last else { return nil }
        var devices: [ClaimedDevice] = []
        var changes: [DeviceChange] = []
        for (index, row) in rows.enumerated() {
            changes.append(row.change)
            guard index + 1 == rows.count || rows[index + 1].claim != row.claim else { continue }
            devices.append(ClaimedDevice(claim: row.claim, device: row.device, changes: changes))
            changes.removeAll()
        }
        return ClaimedDevices(devices: devices, position: last.position)
    }

    private static func change(_ row: inout Row) throws(DatabaseError) -> DeviceChange {
        let (id, word) = (try row.int64(), try row.string())
        guard let action = DeviceChange.Action(rawValue: word) else {
            throw DatabaseError(doing: "claim devices", message: "unknown action \(word)")
        }
        return DeviceChange(
            id: id, action: action, document: try row.stringOrNil(), attempt: try row.int16())
    }

    /// What became of the changes of one device. Its claim ends.
    public struct Finished: Sendable {
        public let claim: Int64
        public let outcomes: [DeviceOutcome]

        public init(claim: Int64, outcomes: [DeviceOutcome]) {
            self.claim = claim
            self.outcomes = outcomes
        }
    }

    /// Records what became of changes, and ends their claims.
    ///
    /// - Throws: `DatabaseError`. Repeating it is harmless: what was recorded is left alone.
    public func complete(_ finished: [Finished]) async throws(DatabaseError) {
        let rows = finished.flatMap { finished in finished.outcomes.map { (finished.claim, $0) } }
        let outcomes = rows.map(\.1)
        func storable(_ text: String?) -> String? { CompletionColumns.storable(text) }
        try await database.execute(
            """
            SELECT push_worker.complete_devices_v1(
                \(worker.number), \(worker.epoch), \(finished.map(\.claim)), \(rows.map(\.0)), \(outcomes.map(\.change)),
                \(outcomes.map { $0.status?.rawValue }), \(outcomes.map(\.delay)), \(outcomes.map(\.cost)),
                \(outcomes.map { $0.answer?.status.map(Int16.init(clamping:)) }),
                \(outcomes.map { storable($0.answer?.tracking) }), \(outcomes.map { storable($0.answer?.error) }),
                \(outcomes.map { storable($0.note) }))
            """, doing: "record changes of devices")
    }

    /// No worker applies changes at this hub for `seconds`, at most an hour. Messages do not wait.
    ///
    /// - Parameter why: for people.
    public func close(hub: Int32, seconds: Double, because why: String) async throws(DatabaseError) {
        try await database.execute(
            "SELECT push_worker.close_devices_v1(\(hub), \(seconds), \(CompletionColumns.storable(why)))",
            doing: "let changes of devices wait")
    }

    /// Gives back all devices of a hub that this worker holds: also those whose claim it does not know, because the
    /// answer was lost.
    public func giveBack(hub: Int32) async throws(DatabaseError) {
        try await database.execute(
            "SELECT push_worker.return_devices_v1(\(worker.number), \(worker.epoch), \(hub))",
            doing: "give devices back")
    }
}
