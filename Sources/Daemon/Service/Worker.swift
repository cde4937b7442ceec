import PushWorker
import Foundation
import Logging
import Postgres
import PushModel
import Store

/// A worker with settings that stay as they are: what `fanfare drain` and the demo start. `WorkerService` is the one that lives
/// through a reload.
public struct Worker: Sendable {
    let settings: Settings
    let log: Logger

    public init(_ settings: Settings, log: Logger) {
        self.settings = settings
        self.log = log
    }

    /// Why a worker cannot begin.
    public enum Fault: Error, CustomStringConvertible {
        case noHubs
        case tooFewLanes(needed: Int, configured: Int)

        public var description: String {
            switch self {
            case .noHubs:
                "no hub is configured, so there is nothing to post to: add one under hubs in the configuration"
            case .tooFewLanes(let needed, let configured):
                "the hubs need \(needed) lanes, three each, and dispatch.lanes is \(configured): some would not be served"
            }
        }
    }

    /// Works until `stop` returns. A database that is away is waited for, at the start as later; a worker that others
    /// took for dead begins anew.
    ///
    /// - Parameters:
    ///   - ready: called once, when the first claim may happen.
    ///   - stop: returns when the process shall end.
    /// - Throws: `Fault`, `SchemaError`, `TransportError`, and `DatabaseError` that waiting does not mend (no such database, no
    ///   permission).
    public func run(
        ready: @escaping @Sendable () -> Void, until stop: @escaping @Sendable (Dispatcher.Progress) async -> Void
    ) async throws -> Dispatcher.Summary {
        try await WorkerGeneration(settings: settings, log: log, sessionName: Self.name, stop: Latch()).work {
            progress, _ in
            ready()
            await stop(progress)
        }
    }

    /// `host/pid`
    static var name: String { "\(ProcessInfo.processInfo.hostName)/\(ProcessInfo.processInfo.processIdentifier)" }
}
