import Postgres
import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// Results are written together, and stay until they are written.
@Suite(.timeLimit(.minutes(10))) struct RecorderTests {
    private let it = RecorderFixture()

    @Test func whatLanesRecordWhileItGathersIsOneStatement() async throws {
        it.time.duringSleep { [recorder = it.recorder] _ in
            await recorder.record(answered: [.accepted(1, of: 2)], finished: [2])
            await recorder.record(
                left: [Completion.Left(claim: 3, message: 30, outcome: MessageOutcome(.expired, .expired))])
        }
        try await it.whileRecording {
            await it.recorder.record(answered: [.accepted(1, of: 1)], finished: [1])
            try await it.untilRecorded(3)
        }
        #expect(it.results.statements.map(\.count) == [3])
        #expect(it.results.recorded.finished == [1, 2])
        #expect(it.time.slept == [DispatchSettings().gatherSeconds])
        let counts = await it.recorder.counts
        #expect(counts.posts == 2 && counts.accepted == 2 && counts.expired == 1)
    }

    @Test func manyPostsAreWrittenAtOnce() async throws {
        try await it.whileRecording {
            await it.recorder.record(answered: (1...500).map { .accepted($0, of: 1) })
            try await it.untilRecorded(500)
        }
        #expect(it.results.statements.map(\.count) == [500])
        #expect(it.time.slept == [])
    }

    @Test func nothingIsDroppedOrReorderedWhileTheDatabaseIsAway() async throws {
        it.results.onStatement { [results = it.results, recorder = it.recorder] _ in
            let tries = results.statements.count
            guard tries <= 6 else { return .taken }
            await recorder.record(answered: [.accepted(tries + 1, of: 1)])  // the hub goes on answering
            return .failed(.away)
        }
        try await it.whileRecording {
            await it.recorder.record(answered: [.accepted(1, of: 1)])
            try await it.untilRecorded(7)
            await it.recorder.record(answered: [.accepted(8, of: 1)], finished: [1])
            try await it.untilRecorded(8)
        }
        #expect(it.results.recorded.posts == (10_001...10_008).map(Int64.init))
        #expect(it.results.recorded.finished == [1] && it.results.late == [])
        // The database looks for each result in a statement that may repeat one; others cost less.
        let mayRepeat = it.results.statements.map(\.mayBeRecorded)
        #expect(mayRepeat == [false, true, true, true, true, true, true, false])
        #expect(it.results.waits.count == 6 && it.results.waits.allSatisfy { (0.5...8).contains($0) })
        #expect(it.log.fields(of: "cannot record results; trying again").map { $0["entries"] }.last == "6")
        #expect(await it.recorder.counts.posts == 8)
    }

    @Test func theWorkerKnowsThatItsResultsAreRefusedUntilTheyAreTaken() async throws {
        let troubles = Mutex<[String?]>([])
        it.results.onStatement { [results = it.results, time = it.time, watch = it.watch] _ in
            troubles.withLock { $0.append(watch.trouble?.words) }
            time.pass(10)
            let full = DatabaseError(doing: "record results", sqlState: "53100", message: "No space left on device")
            return results.statements.count <= 2 ? .failed(full) : .taken
        }
        try await it.whileRecording {
            await it.recorder.record(answered: [.accepted(1, of: 1)])
            try await it.untilRecorded(1)
            try await Awaited.until("no trouble") { (it.watch.trouble, it.watch.trouble == nil) }
        }
        let words = troubles.withLock { $0 }
        #expect(words.first == .some(nil))
        #expect(
            words.last??.hasPrefix("cannot write to the database for 10 s: 53100 No space left") == true, "\(words)")
        #expect(it.log.fields(of: "the database takes changes again").count == 1)
    }

    /// A person has a transaction open with the rows of claim 1.
    @Test func aHeldClaimIsTriedAgainBehindTheOthers() async throws {
        let isKnown = Mutex<[Bool]>([])
        it.results.onStatement { [results = it.results, recorder = it.recorder, ownClaims = it.ownClaims] _ in
            let tries = results.statements.count
            isKnown.withLock { $0.append(ownClaims.hub(of: 1) != nil) }
            if tries == 1 { await recorder.record(answered: [.accepted(1, of: 3)], finished: [3]) }
            if tries == 3 { await recorder.record(answered: [.accepted(1, of: 4)], finished: [4]) }
            return tries <= 4 ? .busy([1]) : .taken
        }
        for claim: Int64 in 1...4 { it.ownClaims.learn(claim, of: "news") }
        try await it.whileRecording {
            await it.recorder.record(answered: [.accepted(1, of: 1), .accepted(1, of: 2)], finished: [1, 2])
            try await it.untilRecorded(4)
        }
        let statements = it.results.statements.map { $0.posts.map { Claim.of(post: $0) } }
        #expect(statements == [[1, 2], [3, 1], [1], [4, 1], [1]])
        #expect(it.results.recorded.finished == [2, 3, 4, 1] && it.results.late == [])
        #expect(isKnown.withLock { $0 } == [true, true, true, true, true], "or its rows would be taken for strays")
        #expect(it.ownClaims.lowest == nil)
        let said = it.log.fields {
            $0.hasPrefix("another session holds rows of ours, so their results wait")
        }
        #expect(said.map { $0["claims"] } == ["[1]"], "once, not with every try")
    }

    @Test func whoWaitsForAnAnswerGoesOnWhenItIsRecorded() async throws {
        let hasBegun = Atomic(false), post = Completion.Answered.accepted(1, of: 1).post
        let isRecorded = Mutex<Bool?>(nil)
        it.results.onStatement { [results = it.results] _ in
            while !hasBegun.load(ordering: .sequentiallyConsistent) { await Task.yield() }
            return results.statements.count <= 5 ? .failed(.away) : .taken
        }
        await it.recorder.record(answered: [.accepted(1, of: 1)], awaited: [post])
        let waiter = Beside { [recorder = it.recorder, results = it.results] in
            hasBegun.store(true, ordering: .sequentiallyConsistent)
            await recorder.untilRecorded(post)
            isRecorded.withLock { $0 = results.recorded.posts == [post] }
        }
        try await it.whileRecording { try await waiter.untilOver("an answer that is recorded") }
        #expect(isRecorded.withLock { $0 } == true)
    }

    @Test func nobodyWaitsForAnAnswerThatWasNotAnnounced() async throws {
        let waiter = Beside { [recorder = it.recorder] in await recorder.untilRecorded(7) }
        try await waiter.untilOver("a wait for nothing")
    }

    @Test func aStoppingWorkerWaitsForNoAnswer() async throws {
        await it.recorder.record(answered: [.accepted(1, of: 1)], awaited: [10_001])
        let waiter = Beside { [recorder = it.recorder] in await recorder.untilRecorded(10_001) }
        await it.recorder.stopWaiting()
        try await waiter.untilOver("a wait that the stop ends")
    }

    @Test func claimsThatOthersRescuedAreSaid() async throws {
        it.results.onStatement { _ in .fenced([1]) }
        await it.recorder.record(answered: [.accepted(1, of: 1), .accepted(1, of: 2)], finished: [1, 2])
        try await it.runToEnd()
        let lines = it.log.fields(of: "claims were rescued while we worked on them; answers were kept")
        #expect(lines == [["claims": "[\"1\"]", "late": "1"]] || lines == [["claims": "[1]", "late": "1"]])
    }
}
