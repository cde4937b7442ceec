import Postgres
import PushModel

/// Logins that lock all that they may, in transactions that stay open for a while, of a session or prepared: nothing may wait for
/// them.
actor LockTraffic {
    private let testBed: TestBed
    private var random: SeededRandom
    private var statements: [SQL] = []
    private var number = 0
    private(set) var actions: [String: Int] = [:]
    /// Errors that no fault of the database explains.
    private(set) var faults: Set<String> = []

    init(testBed: TestBed, seed: UInt64) {
        self.testBed = testBed
        random = SeededRandom(seed: seed)
    }

    /// Works until it is cancelled, and leaves no prepared transaction behind.
    func work() async {
        while !Task.isCancelled {
            for role in Locks.roles.shuffled(using: &random) where !Task.isCancelled {
                do {
                    try await lock(as: role)
                } catch {
                    actions["locks: unanswered", default: 0] += 1
                    if (error as? DatabaseError)?.isTransient != true, !Task.isCancelled { faults.insert("\(error)") }
                }
                // Ends early only by cancellation, which ends the loop.
                try? await Task.sleep(for: .milliseconds(Int.random(in: 100...1_500, using: &random)))
            }
        }
    }

    private func lock(as role: String?) async throws {
        if statements.isEmpty { statements = try await Locks.statements(in: testBed.database) }
        let seconds = Double.random(in: 0.5...4, using: &random)
        let isPrepared = Bool.random(using: &random)
        number += 1
        let (name, statements) = ("locks_\(number)", statements)
        let session = testBed.locker(role)
        defer { Task { await session.close() } }
        var failure: (any Error)?
        do {
            try await session.withConnection { connection in
                try await connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")
                _ = try await Locks.take(statements, over: connection)
                if isPrepared { try await connection.script("PREPARE TRANSACTION '\(name)'") }
                // Cut short by cancellation, which ends the loop.
                try? await Task.sleep(for: .seconds(seconds))
                if !isPrepared { try await connection.script("ROLLBACK") }
            }
        } catch {
            failure = error
        }
        // Also when the answer to PREPARE was lost, and in a task of its own: a cancelled task can send no statement.
        if isPrepared { await Task { await rollBack(name) }.value }
        if let failure { throw failure }
        actions["locks: \(isPrepared ? "prepared" : "open") transactions", default: 0] += 1
    }

    /// Retries like a person: the database may be away, and a standby that lagged may not have it.
    private func rollBack(_ name: String) async {
        while true {
            do throws(DatabaseError) {
                try await testBed.database.script("ROLLBACK PREPARED '\(name)'")
                return
            } catch {
                guard error.isTransient else { return }
            }
            // Nobody cancels it: a run that is broken off ends the process.
            try? await Task.sleep(for: .milliseconds(300))
        }
    }
}
