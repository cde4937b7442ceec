import Concurrency
import Logging

/// Repeats a duty every five minutes.
struct Periodic: Sendable {
    /// Seconds between two rounds.
    static let pause = 300.0

    /// For the log: what cannot be done.
    let doing: String
    let log: Logger

    /// Works until its task is cancelled.
    func run(_ duty: @Sendable () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await duty()
            } catch  where !Task.isCancelled {
                log.error(
                    "cannot \(doing); trying again in five minutes", metadata: ["error": "\(error)"])
            } catch {
                return
            }
            await Sleep.system(Self.pause)
        }
    }
}
