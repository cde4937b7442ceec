import Concurrency
import Configuration
import Foundation
import Logging
import Postgres
import PushModel
import PushWorker
import Store
import Telemetry

/// A worker whose settings never change, as `fanfare drain` and the demo start it. `WorkerService` can reload its
/// settings.
public struct Worker: Sendable {
    let settings: Settings
    let log: Logger
    let metrics: MetricsRegistry
    let exporter: SpanExporter?

    /// - Parameters:
    ///   - metrics: where it counts. Default: nobody reads it.
    ///   - exporter: takes the spans of a drain. Default: no spans.
    public init(
        _ settings: Settings, log: Logger, metrics: MetricsRegistry = MetricsRegistry(), exporter: SpanExporter? = nil
    ) {
        self.settings = settings
        self.log = log
        self.metrics = metrics
        self.exporter = exporter
    }

    /// Works until `stop` returns. Waits for a database that is away, at the start and later. A worker that others
    /// declared dead begins again.
    ///
    /// - Parameters:
    ///   - ready: called once, when the first claim may happen.
    ///   - stop: returns when the worker is to end.
    /// - Throws: `SettingsError`, `SchemaError`, `TransportError`, and `DatabaseError` that is not transient (no such database,
    ///   no permission).
    public func run(
        ready: @escaping @Sendable () -> Void, until stop: @escaping @Sendable (Dispatcher.Progress) async -> Void
    ) async throws -> Dispatcher.Summary {
        try await WorkerGeneration(
            settings: settings, log: log, sessionName: Self.name, stop: Latch(), metrics: metrics
        ).work { progress, _ in
            ready()
            await stop(progress)
        }
    }

    /// `host/pid`
    static var name: String { "\(ProcessInfo.processInfo.hostName)/\(ProcessInfo.processInfo.processIdentifier)" }
}
