import Postgres
import PushModel
import Store
import Testing

extension StoreFixture {
    /// The worker's side of devices.
    var devices: DeviceQueue { DeviceQueue(database: database, worker: queue.worker) }

    /// A device queue of another worker in the same database.
    func anotherOfDevices() async throws -> DeviceQueue {
        DeviceQueue(database: database, worker: try await another().worker)
    }

    /// - Returns: the id of the change.
    @discardableResult
    func put(_ device: String, tags: [String] = [], hub: String = "news") async throws -> Int64 {
        try await test.number(
            "SELECT push.put_device(\(hub), \(device), 'apns', '00FC13AD', tags => \(tags)::text[])")
    }

    @discardableResult
    func patch(_ device: String, add tags: [String] = ["a"], hub: String = "news") async throws -> Int64 {
        try await test.number("SELECT push.patch_device(\(hub), \(device), add_tags => \(tags)::text[])")
    }

    @discardableResult
    func drop(_ device: String, hub: String = "news") async throws -> Int64 {
        try await test.number("SELECT push.drop_device(\(hub), \(device))")
    }

    /// Claims devices from the start.
    func take(_ limit: Int32 = 100, by queue: DeviceQueue? = nil) async throws -> [ClaimedDevice] {
        try await (queue ?? devices).claim(hub: hub, after: .start, limit: limit)?.devices ?? []
    }

    /// Gives all changes of these devices one result.
    func finish(_ claimed: [ClaimedDevice], _ status: DeviceOutcome.Status = .applied) async throws {
        try await devices.complete(
            claimed.map { device in
                .init(claim: device.claim, outcomes: device.changes.map { DeviceOutcome($0.id, status) })
            })
    }

    /// Changes as `action status`, the oldest first.
    func changes(of device: String? = nil) async throws -> [String] {
        try await test.texts(
            """
            SELECT action || ' ' || status FROM push.device_status
             WHERE device = coalesce(\(device), device) ORDER BY id
            """)
    }

    /// Numbers of `push.lost_changes`; must be empty.
    func lostChanges() async throws -> [String] { try await test.texts("SELECT id::text FROM push.lost_changes") }

    /// Makes all changes and their results older by this many days.
    func ageDevices(_ days: Double) async throws {
        try await database.script(
            """
            UPDATE push.installation_change SET at = at - interval '\(days) days';
            UPDATE push.installation_result SET at = at - interval '\(days) days';
            UPDATE push.installation_due SET due_at = due_at - interval '\(days) days';
            """)
    }
}
