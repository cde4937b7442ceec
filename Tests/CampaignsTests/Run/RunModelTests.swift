import PushModel
import Testing

@testable import Campaigns

/// Whatever persons and workers do to a run in any order: it ends as it was asked to, and nothing stays parked.
@Suite struct RunModelTests {
    struct Space: CustomTestStringConvertible {
        let (streams, workers, most): (Int, Int, Int)
        var testDescription: String { "\(streams) streams, \(workers) workers" }
    }

    /// {1, 2} hubs × {1, 2} zones are 1, 2 or 4 streams. The breadth first search looks at all states up to so many.
    static let spaces = [
        Space(streams: 1, workers: 1, most: 20_000), Space(streams: 1, workers: 2, most: 20_000),
        Space(streams: 2, workers: 1, most: 12_000), Space(streams: 2, workers: 2, most: 12_000),
        Space(streams: 4, workers: 1, most: 6_000), Space(streams: 4, workers: 2, most: 6_000),
    ]

    @Test(arguments: spaces) func everyHistoryEndsAsItWasAskedTo(_ space: Space) {
        let first = RunModel(streams: space.streams, workers: space.workers)
        var before: [RunModel: RunModel] = [:]
        var (known, open): (Set<RunModel>, [RunModel]) = ([first], [first])
        var next = 0
        while next < open.count, known.count < space.most {
            let state = open[next]
            next += 1
            if let fault = state.fault {
                Issue.record("\(fault)\n\(Self.history(of: state, before))")
                return
            }
            for successor in state.successors where known.insert(successor).inserted {
                before[successor] = state
                open.append(successor)
            }
        }
        #expect(known.count >= space.most || next == open.count)
    }

    /// The same by chance, to depths that the search does not reach.
    @Test(arguments: 1...200) func randomHistoriesEndAsTheyWereAskedTo(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var state = RunModel(
            streams: [1, 2, 4].randomElement(using: &random)!, workers: Int.random(in: 1...2, using: &random))
        for _ in 0..<60 {
            guard let next = state.successors.randomElement(using: &random) else { return }
            state = next
            if let fault = state.fault {
                Issue.record("seed \(seed): \(fault)\n\(state)")
                return
            }
        }
    }

    private static func history(of state: RunModel, _ before: [RunModel: RunModel]) -> String {
        var (lines, state): ([String], RunModel?) = ([], state)
        while let each = state {
            lines.append("\(each)")
            state = before[each]
        }
        return lines.reversed().joined(separator: "\n")
    }
}
