import PushModel
import Testing

@testable import Campaigns

/// Whether a share is above its limit, or only looks so by luck.
@Suite struct RunJudgementTests {
    private static func stops(_ part: Int64, of all: Int64) -> Bool {
        RunJudgement.exceeds(part, of: all, limit: 0.02, sureness: RunJudgement.again)
    }

    @Test func fewResultsProveLittle() {
        #expect(!Self.stops(0, of: 0) && !Self.stops(0, of: 1_000))
        #expect(!Self.stops(3, of: 50))  // 6 %, and one in a hundred runs of 2 % looks so
        #expect(Self.stops(10, of: 50))
        #expect(!Self.stops(220, of: 10_000))
        #expect(Self.stops(300, of: 10_000))
        #expect(Self.stops(100, of: 100))
    }

    @Test func aLimitOfNothingIsPassedByOne() {
        #expect(RunJudgement.exceeds(1, of: 10_000, limit: 0, sureness: RunJudgement.again))
    }

    /// Asked after each ten results, as a worker asks each second: a run that is well must never be stopped.
    @Test(arguments: 1...40) func aRunWithHalfOfWhatIsAllowedIsNeverStopped(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (failed, all): (Int64, Int64) = (0, 0)
        for _ in 0..<20_000 {
            all += 1
            if UInt64.random(in: 0..<100, using: &random) == 0 { failed += 1 }
            if all >= 20, all % 10 == 0 { #expect(!Self.stops(failed, of: all), "\(failed) of \(all)") }
        }
    }

    @Test func aRunWithTwiceOfWhatIsAllowedIsStoppedWithinAThousandResults() {
        var stopped = 0
        for seed in 1...UInt64(40) {
            var random = SeededRandom(seed: seed)
            let failed = (0..<1_000).reduce(Int64(0)) { sum, _ in
                sum + (UInt64.random(in: 0..<100, using: &random) < 4 ? 1 : 0)
            }
            if Self.stops(failed, of: 1_000) { stopped += 1 }
        }
        #expect(stopped >= 20)
    }
}
