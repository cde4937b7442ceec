import Foundation
import Testing
import VectorSupport

@testable import PushModel

/// Replays the corpus of bin/fuzz and mutations of it: inputs that reach new code, and inputs that once failed a check.
@Suite(.timeLimit(.minutes(10))) struct RowCheckTests {
    @Test(arguments: RowCheck.allCases) func everyRowKeepsThePlansPromises(check: RowCheck) async throws {
        let inputs = try Vectors.corpus(check.rawValue)
        #expect(inputs.count >= 20)
        var random = SeededRandom(seed: 5)
        for input in inputs {
            for mutated in [input, Self.mutated(input, &random)] {
                do throws(RowCheck.Broken) {
                    try check.run(mutated)
                } catch {
                    Issue.record("\(check.rawValue): \(error.promise): \(Data(mutated).base64EncodedString())")
                }
            }
            await Task.yield()  // lets other tests use the thread
        }
    }

    private static func mutated(_ input: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = input
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
            case 1 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.insert(contentsOf: bytes[at...].prefix(20), at: at)
            default: bytes.removeSubrange(at..<min(bytes.count, at + 3))
            }
        }
        return bytes
    }
}
