import Testing

@testable import Concurrency

@Suite(.timeLimit(.minutes(10))) struct SleepTests {
    @Test func cancellationCutsAWaitShortAndThrowsNothing() async {
        let waiting = Task { await Sleep.system(1_000_000) }
        waiting.cancel()
        await waiting.value
    }

    @Test(arguments: [0, -1]) func thereIsNothingToWaitForInATimeThatIsOver(seconds: Double) async {
        await Sleep.system(seconds)
    }
}
