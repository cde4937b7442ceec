import Foundation
import PushModel
import Testing
import VectorSupport

@testable import PushModel

/// Replays the corpus of bin/fuzz and prefixes of it: inputs that reach new code, and inputs that once failed a check.
@Suite(.timeLimit(.minutes(10))) struct LocatedJSONCheckTests {
    @Test func everyInputIsReadAsFoundationReadsItOrRefused() async throws {
        let inputs = try Vectors.corpus("settings")
        #expect(inputs.count >= 20)
        for input in inputs {
            try run(input, of: input)
            for part in 1...3 { try run(Array(input.prefix(input.count * part / 4)), of: input) }
            await Task.yield()  // lets other tests use the thread
        }
    }

    private func run(_ input: [UInt8], of kept: [UInt8]) throws {
        do throws(LocatedJSONCheck.Broken) {
            try LocatedJSONCheck.settings.run(input)
        } catch {
            Issue.record(
                "\(error.promise): \(Data(input).base64EncodedString()), from \(Data(kept).base64EncodedString())")
        }
    }

    /// About the largest settings file, 1 MiB. Counting lines from the top for each key took minutes.
    @Test func aFileOfManyKeysIsReadInOneGo() throws {
        let members = (0..<80_000).map { "\"k\($0)\":0" }
        let text = "{" + members.joined(separator: ",\n") + "}"
        #expect(text.utf8.count > 900_000 && text.utf8.count < 1_048_576)
        guard case .object(let read) = try LocatedJSON(Array(text.utf8)).root else {
            Issue.record("no object")
            return
        }
        #expect(read.count == 80_000)
        #expect(read.last?.place == LocatedJSON.Place(line: 80_000, column: 1))
        let fault = #expect(throws: LocatedJSON.Fault.self) { try LocatedJSON(Array((text + "}").utf8)) }
        #expect(fault?.place == LocatedJSON.Place(line: 80_000, column: 12))
    }
}
