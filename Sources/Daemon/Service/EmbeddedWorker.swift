import Configuration
import Logging
import PushWorker

/// A real worker in this process, as `fanfare run` starts it.
package final class EmbeddedWorker: Sendable {
    /// The view of its work in progress.
    package let progress: Dispatcher.Progress
    private let running: Task<Dispatcher.Summary, any Error>
    private let stopping: AsyncStream<Never>.Continuation

    /// Returns once it works.
    ///
    /// - Throws: what `Worker.run` throws before that.
    package static func start(_ settings: Settings, log: Logger) async throws -> EmbeddedWorker {
        let (stops, stopping) = AsyncStream<Never>.makeStream()
        let (begun, begins) = AsyncStream<Dispatcher.Progress>.makeStream()
        let running = Task {
            defer { begins.finish() }
            return try await Worker(settings, log: log).run(ready: {}) { progress in
                begins.yield(progress)
                for await _ in stops {}
            }
        }
        for await progress in begun {
            return EmbeddedWorker(progress: progress, running: running, stopping: stopping)
        }
        _ = try await running.value
        throw CancellationError()
    }

    private init(
        progress: Dispatcher.Progress, running: Task<Dispatcher.Summary, any Error>,
        stopping: AsyncStream<Never>.Continuation
    ) {
        self.progress = progress
        self.running = running
        self.stopping = stopping
    }

    /// Ends it as SIGTERM does: everything in flight is recorded first.
    package func stop() async throws -> Dispatcher.Summary {
        stopping.finish()
        return try await running.value
    }
}
