import Postgres
import TestSupport

@testable import PushWorker

extension TestWorker {
    /// A worker that listens. Asleep, it looks only every ten minutes: a message that is sent within the time of a test was
    /// not found by such a look.
    static func sleeping() async throws -> TestWorker {
        var worker = try await TestWorker.make()
        worker.settings.listen = true
        worker.settings.asleepSeconds = 600
        return worker
    }

    /// Workers that say in `push.worker` that they sleep.
    func asleep() async throws -> Int64 { try await test.number("SELECT count(*) FROM push.worker WHERE asleep") }
}

extension Dispatcher.Progress {
    func untilAsleep() async throws {
        try await Awaited.until("a worker that sleeps") {
            let isAsleep = await poller.isAsleep
            return (isAsleep, isAsleep)
        }
    }
}
