import Foundation
import Postgres

/// A backend that registers, changes and drops devices while everything breaks, and remembers what was confirmed.
actor DeviceTraffic {
    private let database: Database
    private var generator: DeviceGenerator
    private(set) var confirmed: [Facts.AskedChange] = []
    /// Of transactions that were certainly not committed.
    private(set) var undone: [Facts.AskedChange] = []
    /// When it asked for something about a device: whatever its outcome, it may have been applied.
    private(set) var moments: [Facts.DeviceName: [Double]] = [:]
    private(set) var actions: [String: Int] = [:]
    /// Errors that retrying cannot cure; each kind is listed once.
    private(set) var faults: Set<String> = []

    private struct ChangedItsMind: Error {}

    /// - Parameter database: as a role that is a member of `push_register` and nothing else.
    init(database: Database, seed: UInt64) {
        self.database = database
        generator = DeviceGenerator(seed: seed)
    }

    /// Works until it is cancelled.
    ///
    /// - Parameter rate: transactions a second.
    func work(rate: Double) async {
        while !Task.isCancelled {
            await carryOut(generator.next())
            // Ends early only by cancellation, which ends the loop.
            try? await Task.sleep(for: .seconds(1 / rate))
        }
    }

    private func carryOut(_ transaction: DeviceGenerator.Transaction) async {
        let now = Date().timeIntervalSince1970
        for call in transaction.calls {
            moments[Facts.DeviceName(hub: call.hub, device: call.device), default: []].append(now)
        }
        var asked: [Facts.AskedChange] = []
        do {
            try await database.withTransaction { connection in
                for call in transaction.calls {
                    let id = try await connection.query(call.sql, doing: "change a device") { rows in
                        try rows.first { row in try row.int64() } ?? 0
                    }
                    asked.append(Facts.AskedChange(id: id, call, at: Date().timeIntervalSince1970))
                }
                if !transaction.isKept { throw ChangedItsMind() }
            }
            confirmed += asked
            for call in transaction.calls { count(call.action.rawValue) }
        } catch is ChangedItsMind {
            undone += asked
            count("rolled back")
        } catch {
            failed(error as? DatabaseError, asked)
        }
    }

    private func failed(_ error: DatabaseError?, _ asked: [Facts.AskedChange]) {
        // Only the tables know whether it was committed.
        if error?.doing == "commit", error?.isTransient == true { return count("unanswered") }
        undone += asked
        if error?.is(.objectNotInPrerequisiteState) == true { return count("patch of a dropped one") }
        count("unanswered")
        if error?.isTransient != true { faults.insert(error.map { "\($0)" } ?? "cannot change a device") }
    }

    private func count(_ what: String) { actions["device: \(what)", default: 0] += 1 }
}

extension Facts.AskedChange {
    init(id: Int64, _ call: DeviceGenerator.Call, at: Double) {
        self.init(
            id: id, device: Facts.DeviceName(hub: call.hub, device: call.device), action: call.action,
            handle: call.handle,
            at: at)
    }
}
