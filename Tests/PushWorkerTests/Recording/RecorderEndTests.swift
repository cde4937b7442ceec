import PushModel
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A stopping worker writes all it can, and ends in any case: what it cannot write, rescue finds.
@Suite(.timeLimit(.minutes(10))) struct RecorderEndTests {
    private let it = RecorderFixture()

    @Test func whatIsLeftIsWrittenWithoutWaiting() async throws {
        await it.recorder.record(
            left: (0..<5_000).map {
                Completion.Left(claim: 1, message: $0, outcome: MessageOutcome(.expired, .expired))
            }, finished: [1])
        try await it.runToEnd()
        #expect(it.results.recorded.left.map(\.message) == Array(0..<5_000))
        #expect(it.results.statements.map(\.count) == [2_000, 2_000, 1_000])
        #expect(it.results.statements.map(\.finished) == [[], [], [1]])
        #expect(it.time.slept == [])
        #expect(await it.recorder.isIdle)
    }

    @Test func afterThreeFaultsItLeavesTheRestToRescue() async throws {
        it.results.onStatement { _ in .failed(.away) }
        await it.recorder.record(answered: [.accepted(1, of: 1)], finished: [1])
        try await it.runToEnd()
        #expect(it.results.statements.count == 3)
        #expect(it.results.waits.count == 2, "it waits for no try that will not be made")
        #expect(await it.recorder.backlog.entries == 1)
    }

    /// The faults before the stop say nothing about a database that is back.
    @Test func aDatabaseThatIsBackAtTheStopGetsTheResults() async throws {
        let isBack = Atomic(false)
        it.results.onStatement { _ in isBack.load(ordering: .relaxed) ? .taken : .failed(.away) }
        it.results.duringWait { [results = it.results, recorder = it.recorder] in
            guard results.waits.count == 6 else { return }
            await recorder.end()
            isBack.store(true, ordering: .relaxed)
        }
        await it.recorder.record(answered: [.accepted(1, of: 1)], finished: [1])
        try await it.whileRecording {
            try await Awaited.until("six faults") { (it.results.waits.count, it.results.waits.count >= 6) }
        }
        #expect(it.results.recorded.posts == [10_001])
    }

    @Test func aHeldClaimIsTriedForTenSeconds() async throws {
        it.results.onStatement { $0.answers(1) ? .busy([1]) : .taken }
        await it.recorder.record(answered: [.accepted(1, of: 1), .accepted(1, of: 2)], finished: [1, 2])
        let began = it.time.now
        try await it.runToEnd()
        #expect(it.results.recorded.finished == [2])
        #expect((9.9...10.1).contains(it.time.now - began))
    }

    /// However long the worker tried before.
    @Test func aClaimThatWasHeldForLongIsTriedAsOftenAtTheStop() async throws {
        let tries = Mutex<[Bool]>([])
        let hasEnded = Atomic(false)
        it.results.onStatement { [results = it.results, recorder = it.recorder] _ in
            let isEnding = hasEnded.load(ordering: .relaxed)
            tries.withLock { $0.append(isEnding) }
            if results.statements.count == 500 {
                await recorder.end()
                hasEnded.store(true, ordering: .relaxed)
            }
            return tries.withLock { $0.count(where: \.self) } < 50 ? .busy([1]) : .taken
        }
        await it.recorder.record(answered: [.accepted(1, of: 1)], finished: [1])
        try await it.whileRecording { try await it.untilRecorded(1) }
        #expect(it.results.recorded.finished == [1])
    }

    @Test func aRefusedEntryIsGivenUpWithoutWaiting() async throws {
        it.results.onStatement { $0.answers(7) ? .failed(.refusal) : .taken }
        await it.recorder.record(answered: [.accepted(1, of: 7), .accepted(1, of: 8)], finished: [7, 8])
        try await it.runToEnd()
        #expect(it.results.givenUp.map(\.entry.posts) == [[70_001]])
        #expect(it.results.recorded.finished == [8])
        #expect(it.time.slept == [] && it.results.waits == [])
    }

    /// replies to the tries of an entry that was refused
    @Test(arguments: [MemoryResults.Reply.failed(.away), .busy([7])])
    func aRefusedEntryKeepsNoWorkerFromEnding(_ reply: MemoryResults.Reply) async throws {
        it.results.onStatement { [results = it.results] statement in
            guard statement.answers(7) else { return .taken }
            return results.statements.count == 1 ? .failed(.refusal) : reply
        }
        await it.recorder.record(answered: [.accepted(1, of: 7)], finished: [7])
        try await it.runToEnd()
        #expect(it.results.recorded.posts == [] && it.results.recorded.finished == [])
        #expect(await it.recorder.backlog.entries == 1)
        #expect(it.results.statements.count <= 101)
    }

    @Test func whatCannotBeWrittenDownKeepsNoWorkerFromEnding() async throws {
        it.results.onStatement { $0.answers(7) ? .failed(.refusal) : .taken }
        it.results.onGivingUp { .away }
        await it.recorder.record(answered: [.accepted(1, of: 7)], finished: [7])
        try await it.runToEnd()
        #expect(it.results.givenUp.isEmpty && it.results.recorded.finished == [])
    }
}
