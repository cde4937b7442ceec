import PushWorker
import HubEmulator
import TestSupport
import Testing

/// The view of a running worker that health checks use.
@Suite struct ProgressTests {
    @Test func aTurnOfTheTransportReturnsAlsoAfterItsEnd() async throws {
        let worker = try await TestWorker.make()
        let holder = Holder()
        try await worker.whileWorking { progress in
            await holder.hold(progress)
            await progress.turn()
            #expect(await progress.recording == nil)
            #expect(await !progress.hasUnwritten)
        }
        await holder.progress?.turn()  // returns at once: the thread has ended
    }

    private actor Holder {
        var progress: Dispatcher.Progress?
        func hold(_ progress: Dispatcher.Progress) { self.progress = progress }
    }
}
