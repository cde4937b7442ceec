import PushModel
import Testing

@testable import Store

/// How a completion is cut into statements; without a database.
@Suite struct CompletionBatchTests {
    private func completion(answered: Int, left: Int) -> Completion {
        var all = Completion()
        for n in 0..<answered {
            all.answered.append(
                .init(
                    post: Int64(n), answer: Answer(verdict: .accepted, error: "said"),
                    outcome: MessageOutcome(.accepted, .takenByHub, note: "note"), messages: [Int64(n)]))
        }
        for n in 0..<left {
            all.left.append(
                .init(claim: 1, message: Int64(n), outcome: MessageOutcome(.expired, .expired, note: "note")))
        }
        all.finished = [1]
        return all
    }

    @Test func claimsAreFinishedWithTheLastEntry() {
        var all = completion(answered: 3, left: 2)
        let first = all.take(4)
        #expect(first.answered.count == 3)
        #expect(first.left.count == 1)
        #expect(first.finished.isEmpty)
        let last = all.take(4)
        #expect(last.left.count == 1)
        #expect(last.finished == [1])
        #expect(all.isEmpty)
    }

    /// A post may carry a thousand messages: two thousand such posts are too many for one statement.
    @Test func aStatementIsBoundedByMessages() {
        var all = completion(answered: 50, left: 2)
        for index in all.answered.indices { all.answered[index].messages = Array(repeating: 1, count: 1000) }
        var taken: [Int] = []
        while !all.isEmpty {
            let batch = all.take(2000)
            #expect(batch.messages <= 20_000)
            #expect(batch.finished.isEmpty == !all.isEmpty)
            taken.append(batch.count)
        }
        #expect(taken.reduce(0, +) == 52)
    }

    @Test func whatIsPutBackComesFirst() {
        var all = completion(answered: 3, left: 0)
        let first = all.take(1)
        all.putBack(first)
        #expect(all.answered.map(\.post) == [0, 1, 2])
    }

    /// Whatever may be recorded already must be looked for, in whatever statement it is given again.
    @Test func whatMayBeRecordedIsRemembered() {
        var all = completion(answered: 3, left: 0)
        var first = all.take(2)
        #expect(!first.mayBeRecorded)
        first.mayBeRecorded = true
        all.putBack(first)
        #expect(all.take(1).mayBeRecorded)
        let (theirs, rest) = all.divided(by: [Claim.of(post: 1)])
        #expect(theirs.mayBeRecorded && rest.mayBeRecorded)
        #expect(all.withoutTexts.mayBeRecorded)
        #expect(all.take(10).mayBeRecorded)
        #expect(!all.mayBeRecorded, "nothing of it is left")
        all.add(theirs)
        #expect(all.mayBeRecorded)
    }

    @Test func withoutTextsKeepsEveryFact() {
        let plain = completion(answered: 1, left: 1).withoutTexts
        #expect(plain.answered[0].answer.error == nil)
        #expect(plain.answered[0].answer.verdict == .accepted)
        #expect(plain.left[0].outcome.status == .expired)
        #expect(plain.left[0].outcome.note == nil)
    }
}
