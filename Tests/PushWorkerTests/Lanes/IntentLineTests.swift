import PushModel
import Store
import Testing

@testable import PushWorker

/// Which portions are written together.
@Suite struct IntentLineTests {
    /// A line whose answers are claims.
    private final class Line {
        private var line = IntentLine<Int64>()

        /// - Parameter isBusy: whether all statements run.
        init(isBusy: Bool) { while isBusy, line.begin() {} }

        func begin() -> Bool { line.begin() }

        func append(_ claim: Int64, posts: Int = 1) {
            let post = Post(messages: [claim], target: .tag("World"), body: [])
            let portion = IntentPortion(claim: claim, posts: (1...posts).map { ($0, post) })
            line.append(.init(portion: portion, ticket: claim))
        }

        func ended() -> [Int64] { line.ended().map(\.ticket) }
    }

    @Test func aLaneAloneNeverWaits() {
        let line = Line(isBusy: false)
        for _ in 1...3 {
            #expect(line.begin())
            #expect(line.begin())
            #expect(!line.begin())
            #expect(line.ended() == [])
            #expect(line.ended() == [])
        }
    }

    @Test func whatGathersWhileStatementsRunIsWrittenTogether() {
        let line = Line(isBusy: true)
        for claim in Int64(1)...5 { line.append(claim) }
        #expect(line.ended() == [1, 2, 3, 4, 5])
        #expect(!line.begin(), "both statements run: the one that was there, and the next")
        #expect(line.ended() == [])
        #expect(line.begin())
    }

    /// Two portions of a claim in one statement would be one portion that nobody asked for.
    @Test func aStatementHasOnePortionOfEachClaim() {
        let line = Line(isBusy: true)
        for claim in [1, 1, 2, 1] as [Int64] { line.append(claim) }
        #expect(line.ended() == [1, 2])
        #expect(line.ended() == [1])
        #expect(line.ended() == [1])
        #expect(line.ended() == [])
    }

    @Test func aStatementHasSoManyPostsAtMostUnlessOnePortionHasMore() {
        let line = Line(isBusy: true)
        for (claim, posts) in [(1, 600), (2, 400), (3, 200), (4, 100)] as [(Int64, Int)] {
            line.append(claim, posts: posts)
        }
        #expect(line.ended() == [1])
        #expect(line.ended() == [2, 4], "a small one may pass a large one")
        #expect(line.ended() == [3])
    }
}
