import PushModel
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// Lanes claim nothing more while too many results wait: a worker's memory has an end.
@Suite(.timeLimit(.minutes(10))) struct RecorderRoomTests {
    private let it = RecorderFixture()

    private func left(_ count: Int) -> [Completion.Left] {
        (0..<count).map {
            Completion.Left(claim: 1, message: Int64($0), outcome: MessageOutcome(.expired, .expired))
        }
    }

    private func post(to messages: Int) -> Completion.Answered {
        var post = Completion.Answered.accepted(1, of: 2)
        post.messages = (0..<messages).map(Int64.init)
        return post
    }

    /// Two lanes that wait for room.
    private func waitingLanes() async throws -> [Beside] {
        let lanes = (1...2).map { _ in Beside { [recorder = it.recorder] in await recorder.waitForRoom() } }
        try await Awaited.until("two lanes that wait") {
            let waiting = await it.recorder.backlog.lanes
            return (waiting, waiting == 2)
        }
        return lanes
    }

    private func expectGone(_ lanes: [Beside]) async throws {
        for lane in lanes { try await lane.untilOver("a lane that goes on") }
        #expect(await it.recorder.backlog.lanes == 0)
    }

    /// entries, and messages of one more
    @Test(arguments: [(20_000, 0), (0, 200_000)])
    func lanesWaitUntilThereIsRoom(_ entries: Int, _ messages: Int) async throws {
        let waiting = Mutex<[Int]>([])
        it.results.onStatement { [recorder = it.recorder] _ in
            let lanes = await recorder.backlog.lanes
            waiting.withLock { $0.append(lanes) }
            return .taken
        }
        await it.recorder.record(answered: messages > 0 ? [post(to: messages)] : [], left: left(entries))
        let lanes = try await waitingLanes()
        try await it.whileRecording { try await expectGone(lanes) }
        #expect(waiting.withLock { $0.first } == 2, "nothing was recorded before that")
    }

    @Test(arguments: [(19_999, 0), (0, 199_999)])
    func lanesDoNotWaitForLess(_ entries: Int, _ messages: Int) async throws {
        await it.recorder.record(answered: messages > 0 ? [post(to: messages)] : [], left: left(entries))
        let lane = Beside { [recorder = it.recorder] in await recorder.waitForRoom() }
        try await lane.untilOver("a lane that need not wait")
    }

    @Test func lanesGoOnWhenTheWorkerStops() async throws {
        await it.recorder.record(left: left(20_000))
        let lanes = try await waitingLanes()
        await it.recorder.stopWaiting()
        try await expectGone(lanes)
    }

    /// What is refused does not come back to what waits, so no statement that succeeds makes the room.
    @Test func lanesGoOnWhenAllThatWaitedWasRefused() async throws {
        it.results.onStatement { _ in .failed(.refusal) }
        await it.recorder.record(answered: [post(to: 200_000)])
        let lanes = try await waitingLanes()
        try await it.whileRecording { try await expectGone(lanes) }
    }

    /// Each is tried again by itself for a while: they count as long as that lasts.
    @Test func lanesWaitAlsoForWhatWasRefused() async throws {
        it.results.onStatement { _ in .failed(.refusal) }
        await it.recorder.record(left: left(20_000))
        let lanes = try await waitingLanes()
        try await it.whileRecording {
            try await expectGone(lanes)
            #expect(it.results.givenUp.count > 0, "the first that is given up makes room")
            it.results.onStatement { _ in .taken }
        }
    }
}
