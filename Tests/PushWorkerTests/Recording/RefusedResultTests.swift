import Store
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

/// A result that the database refuses keeps no other from being recorded, and is not dropped in silence.
@Suite(.timeLimit(.minutes(10))) struct RefusedResultTests {
    private let it = RecorderFixture()

    /// Records one post for each of these claims.
    private func record(_ claims: ClosedRange<Int64>) async {
        for claim in claims { it.ownClaims.learn(claim, of: "news") }
        await it.recorder.record(answered: claims.map { .accepted(1, of: $0) }, finished: Array(claims))
    }

    @Test func theOthersAreRecordedAndTheBadOneIsGivenUp() async throws {
        let tries = Mutex<[Double]>([])
        it.results.onStatement { [time = it.time] statement in
            guard statement.answers(7) else { return .taken }
            if statement.count == 1 { tries.withLock { $0.append(time.now) } }
            return .failed(.refusal)
        }
        try await it.whileRecording {
            await record(1...16)
            try await it.untilGivenUp(1)
            try await Awaited.until("a claim that is a stray") { (it.ownClaims.lowest, it.ownClaims.lowest == nil) }
        }
        let others = (1...16).filter { $0 != 7 }.map(Int64.init)
        let recorded = it.results.recorded
        #expect(recorded.posts.map { Claim.of(post: $0) }.sorted() == others)
        #expect(recorded.answered.allSatisfy { $0.answer.tracking == "tracking" }, "the others keep their texts")
        #expect(recorded.finished.sorted() == others, "a claim that is not finished is rescued")
        #expect(it.results.late == [])

        // Half as long after a refusal, twice as long after a success.
        #expect(it.results.statements.prefix(9).map(\.count) == [16, 8, 4, 8, 4, 2, 4, 2, 1])
        let alone = it.results.statements.filter { $0.answers(7) && $0.count == 1 }
        #expect(alone.map { $0.answered[0].answer.tracking } == ["tracking", nil, nil, nil, nil])
        #expect(alone.dropFirst().allSatisfy { $0.mayBeRecorded })
        let times = tries.withLock { $0 }
        #expect(zip(times.dropFirst(), times).map(-).dropFirst().map { $0.rounded(.down) } == [1, 2, 4])

        #expect(it.results.givenUp.map(\.entry.posts) == [[70_001]])
        #expect(it.results.givenUp.first?.words.contains("22000 never") == true)
        let lines = it.log.fields { $0.hasPrefix("a result cannot be recorded and is given up") }
        #expect(lines.map { $0["post"] } == ["70001"] && lines.map { $0["messages"] } == ["[70001]"])
    }

    @Test func whatIsRefusedForItsTextIsRecordedWithoutIt() async throws {
        it.results.onStatement { statement in
            statement.answered.contains { $0.answer.tracking == "bad" } ? .failed(.refusal) : .taken
        }
        try await it.whileRecording {
            await it.recorder.record(
                answered: [.accepted(1, of: 1), .accepted(2, of: 1, tracking: "bad")], finished: [1])
            try await it.untilRecorded(2)
            try await Awaited.until("a finished claim") { (it.results.recorded, !it.results.recorded.finished.isEmpty) }
        }
        let recorded = it.results.recorded
        #expect(recorded.posts == [10_001, 10_002])
        #expect(recorded.answered.map(\.answer.tracking) == ["tracking", nil])
        #expect(recorded.finished == [1] && it.results.late == [], "finished with its last entry, not before")
        #expect(it.results.givenUp.isEmpty)
        #expect(await it.recorder.counts.accepted == 2)
    }

    @Test func othersAreRecordedBetweenItsTries() async throws {
        let tries = Atomic(0)
        it.results.onStatement { [recorder = it.recorder] statement in
            guard statement.answers(7) else { return .taken }
            let n = tries.add(1, ordering: .relaxed).newValue
            await recorder.record(answered: [.accepted(n, of: 1)])
            return .failed(.refusal)
        }
        try await it.whileRecording {
            await record(7...7)
            try await it.untilGivenUp(1)
            try await it.untilRecorded(tries.load(ordering: .relaxed))
        }
        let order = it.results.statements.map { $0.answers(7) ? "bad" : "other" }
        #expect(order == ["bad", "bad", "other", "bad", "other", "bad", "other", "bad", "other"])
    }

    @Test func whoWaitsForItGoesOnWhenItIsGivenUp() async throws {
        it.results.onStatement { _ in .failed(.refusal) }
        await it.recorder.record(answered: [.accepted(1, of: 7)], awaited: [70_001])
        let waiter = Beside { [recorder = it.recorder] in await recorder.untilRecorded(70_001) }
        try await it.whileRecording { try await waiter.untilOver("an answer that is given up") }
        #expect(it.results.givenUp.count == 1)
    }

    @Test func aDatabaseThatIsAwaySaysNothingAboutIt() async throws {
        it.results.onStatement { [results = it.results] _ in
            switch results.statements.count {
            case 1: .failed(.refusal)
            case 2...20: .failed(.away)
            default: .taken
            }
        }
        try await it.whileRecording {
            await record(7...7)
            try await it.untilRecorded(1)
        }
        #expect(it.results.givenUp.isEmpty)
        #expect(it.results.recorded.finished == [7])
    }

    @Test func givingUpIsTriedAgainUntilItIsWrittenDown() async throws {
        let tries = Atomic(0)
        it.results.onStatement { $0.answers(7) ? .failed(.refusal) : .taken }
        it.results.onGivingUp { tries.add(1, ordering: .relaxed).newValue <= 2 ? .away : nil }
        try await it.whileRecording {
            await record(7...7)
            try await it.untilGivenUp(1)
        }
        #expect(it.log.fields(of: "cannot record that a result is given up; trying again").count == 2)
        #expect(it.log.fields { $0.hasPrefix("a result cannot be recorded and is given up") }.count == 1)
    }
}
