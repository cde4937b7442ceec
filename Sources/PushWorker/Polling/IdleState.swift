import Postgres
import Store

/// How much a worker and its backlog still have to do, for callers that wait until everything is done.
public enum IdleState: Sendable, Equatable {
    /// Something is in flight or about to be.
    case working
    /// Nothing is in flight; the next message is due in this many seconds.
    case waiting(seconds: Double)
    /// Nothing is left, and no claim can return messages.
    case done
}

extension Dispatcher.Progress {
    /// Asks the database only while the worker is idle.
    ///
    /// - Parameters:
    ///   - hubs: names of the hubs whose messages count.
    ///   - seconds: messages that come due later do not count.
    public func idleState(
        in database: Database, hubs: [String], within seconds: Double
    ) async throws(DatabaseError) -> IdleState {
        let before = (messages: await done, devices: devices)
        guard await isIdle else { return .working }
        if let next = try await Backlog.next(in: database, hubs: hubs, within: seconds) {
            return next <= 0 ? .working : .waiting(seconds: next)
        }
        // Idle before and after, and nothing was done in between: nothing can have been put back.
        guard await isIdle, await done == before.messages, devices == before.devices else { return .working }
        return .done
    }
}
