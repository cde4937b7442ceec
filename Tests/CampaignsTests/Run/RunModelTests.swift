import PushModel
import Testing

@testable import Campaigns

/// Whatever persons and workers do to a run in any order: it ends as it was asked to, and nothing stays parked.
@Suite struct RunModelTests {
    struct Space: CustomTestStringConvertible {
        let (streams, workers, most): (Int, Int, Int)
        var testDescription: String { "\(streams) streams, \(workers) workers" }
    }

    /// {1, 2} hubs × {1, 2} zones are 1, 2 or 4 streams. The breadth first search stops after `most` states.
    static let spaces = [
        Space(streams: 1, workers: 1, most: 8_000), Space(streams: 1, workers: 2, most: 8_000),
        Space(streams: 2, workers: 1, most: 6_000), Space(streams: 2, workers: 2, most: 6_000),
        Space(streams: 4, workers: 1, most: 4_000), Space(streams: 4, workers: 2, most: 4_000),
    ]

    @Test(arguments: spaces) func everyHistoryEndsAsItWasAskedTo(_ space: Space) async {
        let (fault, looked) = await Self.search(space)
        if let fault { Issue.record("\(fault)") }
        #expect(looked >= 500)
    }

    /// A check that finds nothing says something only if it would find a mistake.
    @Test(arguments: RunModel.Flaw.allCases) func aMistakeIsFound(_ flaw: RunModel.Flaw) async {
        let (fault, looked) = await Self.search(Space(streams: 2, workers: 1, most: 60_000), flaw)
        #expect(fault != nil, "\(flaw) was not found in \(looked) states")
    }

    /// - Returns: what is wrong, with the history that leads to it, and how many states were looked at.
    private static func search(
        _ space: Space, _ flaw: RunModel.Flaw? = nil
    ) async -> (fault: String?, looked: Int) {
        let first = RunModel(streams: space.streams, workers: space.workers, flaw: flaw)
        var before: [RunModel: RunModel] = [:]
        var (known, open): (Set<RunModel>, [RunModel]) = ([first], [first])
        var next = 0
        while next < open.count, known.count < space.most {
            let state = open[next]
            next += 1
            if next % 16 == 0 { await Task.yield() }  // other tests share the threads
            if let fault = state.fault { return ("\(fault)\n\(history(of: state, before))", next) }
            for successor in state.successors {
                let isNew = known.insert(successor).inserted
                if isNew { before[successor] = state }
                if let fault = successor.fault(after: state) {
                    return ("\(fault)\n\(history(of: state, before))\n\(successor)", next)
                }
                if isNew { open.append(successor) }
            }
        }
        return (nil, next)
    }

    /// The same by chance, to depths that the search does not reach.
    @Test(arguments: 1...200) func randomHistoriesEndAsTheyWereAskedTo(seed: UInt64) async {
        var random = SeededRandom(seed: seed)
        var state = RunModel(
            streams: [1, 2, 4].randomElement(using: &random)!, workers: Int.random(in: 1...2, using: &random))
        await Task.yield()  // other tests share the threads
        for _ in 0..<60 {
            guard let next = state.successors.randomElement(using: &random) else { return }
            let stepFault = next.fault(after: state)
            state = next
            if let fault = stepFault ?? state.fault {
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
