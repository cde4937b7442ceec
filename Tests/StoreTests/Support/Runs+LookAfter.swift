import Campaigns
import Logging
import Postgres
import Store

extension Runs {
    /// One look of a worker at all runs, with what comes of it.
    func lookAfter() async throws(DatabaseError) {
        try await RunKeeper(runs: self, log: Logger(label: "quiet") { _ in SwiftLogNoOpLogHandler() }).look()
        try await leaveOut()
    }

    /// Ends what is left out.
    func leaveOut() async throws(DatabaseError) {
        for stream in try await streams(of: Array(1...20)) where stream.leftOut != nil {
            _ = try await leaveOut(stream.id)
        }
    }
}
