import Campaigns
import Logging
import Postgres
import Store

extension Runs {
    /// One look of a worker at all runs, with what comes of it.
    func lookAfter() async throws(DatabaseError) {
        try await RunKeeper(runs: self, log: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }).look()
    }
}
