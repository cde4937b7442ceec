import PushWorker
import Store
import TestSupport

@testable import Campaigns

/// An expander of a worker, without what sends.
enum Expanding {
    /// Expands the audiences of the hubs that are registered, until `body` returns.
    ///
    /// - Parameters:
    ///   - pageSeconds: those that a page may take.
    ///   - keeps: whether runs are looked after, too.
    static func audiences(
        of test: TestDatabase, pageSeconds: Int = 30, keeps: Bool = false, while body: () async throws -> Void
    ) async throws {
        let hubs = try await test.database.query("SELECT id FROM push.hub ORDER BY id") { rows in
            try rows.map { row in try row.int32() }
        }
        let runs = Runs(database: test.another(maximumConnections: Expander.connections + 1), pageSeconds: pageSeconds)
        let keeper = RunKeeper(runs: runs, log: TestWorker.quiet)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await Expander(
                    runs: runs, hubs: hubs, keeper: keeper, monotonic: Clock.system.monotonic, log: TestWorker.quiet
                ).run()
            }
            if keeps { group.addTask { await keeper.run() } }
            try await body()
            group.cancelAll()
        }
    }
}
