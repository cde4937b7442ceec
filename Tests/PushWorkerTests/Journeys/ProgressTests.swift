import PushWorker
import HubEmulator
import TestSupport
import Testing

/// What a running worker says of itself to those who watch over it.
@Suite struct ProgressTests {
    @Test func theTransportMakesItsTurnsWhileItWorksAndWhenItHasEnded() async throws {
        let worker = try await TestWorker.make()
        let kept = Kept()
        try await worker.whileWorking { progress in
            await kept.keep(progress)
            await progress.turn()
            #expect(await progress.recording == nil)
            #expect(await !progress.hasUnwritten)
        }
        await kept.progress?.turn()  // comes back at once: nobody waits for a thread that is over
    }

    private actor Kept {
        var progress: Dispatcher.Progress?
        func keep(_ progress: Dispatcher.Progress) { self.progress = progress }
    }
}
