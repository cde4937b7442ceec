import Foundation
import HubEmulator
import Postgres

/// Urgent messages while slow bulk posts fill the window of a hub in every worker.
struct UrgentTraffic {
    let testBed: TestBed
    let workers: Int

    /// How long the hub takes for a bulk post, in seconds.
    static let bulkSeconds = 20
    /// An urgent message that takes longer, in seconds, waited for one of them.
    static let atMost = 10.0
    private static let tag = "slow"
    private static let urgentMessages = 20

    struct Enqueued {
        var bulk: [Facts.Confirmation] = []
        var urgent: [Facts.Confirmation] = []
    }

    /// Returns when the urgent ones have ended; the bulk posts are still on the wire.
    func behindBulk() async throws -> Enqueued {
        var fault = Fault(.every(1))
        fault.tag = Self.tag
        fault.delayMilliseconds = Self.bulkSeconds * 1_000
        let number = try testBed.emulator.add(fault)
        defer { _ = testBed.emulator.removeFault(number) }
        var enqueued = Enqueued()
        let places = workers * TestBed.window
        enqueued.bulk = try await insert((0..<places + 50).map { row("bulk.\($0)", tag: Self.tag, priority: 2) })
        try await waitForFullWindows()
        for number in 0..<Self.urgentMessages {
            enqueued.urgent += try await insert([row("urgent.\(number)", tag: "urgent.\(number)", priority: 0)])
            try await Task.sleep(for: .milliseconds(100))
        }
        try await wait(for: enqueued.urgent.map(\.id))
        return enqueued
    }

    private func row(_ marker: String, tag: String, priority: Int) -> MessageGenerator.Row {
        var row = MessageGenerator.Row(
            hub: TestHub.news.rawValue, tag: tag, content: "{\"message\":\"#\(marker)#\"}", marker: marker)
        row.priority = priority
        return row
    }

    private func insert(_ rows: [MessageGenerator.Row]) async throws -> [Facts.Confirmation] {
        let ids = try await testBed.database.query(try MessageGenerator.Row.insert(rows), doing: "enqueue") { rows in
            try rows.map { row in try row.int64() }
        }
        let now = Date().timeIntervalSince1970
        return zip(ids, rows).map { Facts.Confirmation(id: $0, marker: $1.marker, at: now) }
    }

    /// Until no more bulk posts have left for a second; at most a minute: if none leaves, the urgent ones show why.
    private func waitForFullWindows() async throws {
        let began = ContinuousClock.now
        var (left, quiet) = (Int64(0), 0)
        while left == 0 || quiet < 10, began.duration(to: .now) < .seconds(60) {
            let now = try await number("SELECT count(*) FROM push.post WHERE target = \(Self.tag)")
            quiet = now == left ? quiet + 1 : 0
            left = now
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Until these messages have results; at most twice as long as a bulk post takes.
    private func wait(for ids: [Int64]) async throws {
        let began = ContinuousClock.now
        while began.duration(to: .now) < .seconds(2 * Self.bulkSeconds) {
            let ended = try await number("SELECT count(DISTINCT id) FROM push.result WHERE id = ANY (\(ids))")
            if ended == Int64(ids.count) { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func number(_ sql: SQL) async throws -> Int64 {
        try await testBed.database.query(sql) { rows in try rows.first { row in try row.int64() } ?? 0 }
    }
}

extension Facts {
    /// Seconds from the INSERT of each urgent message to its first post; without those that never left.
    func urgentWaits() -> [Int64: Double] {
        let rows = Dictionary(urgent.map { ($0.marker, $0) }) { first, _ in first }
        var waits: [Int64: Double] = [:]
        for arrival in arrivals {
            for row in arrival.markers.compactMap({ rows[$0] }) {
                waits[row.id] = min(waits[row.id] ?? .infinity, arrival.at - row.at)
            }
        }
        return waits
    }
}
