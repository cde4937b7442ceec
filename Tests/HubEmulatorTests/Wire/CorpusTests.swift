import Foundation
import Testing
import VectorSupport

@testable import HubEmulator

/// The fuzzer's corpus, and every input that once broke a promise (bin/fuzz).
@Suite struct CorpusTests {
    @Test(arguments: ParserCheck.allCases)
    func everyInputKeepsTheParsersPromises(check: ParserCheck) throws {
        let inputs = try Vectors.corpus(check.rawValue)
        #expect(inputs.count >= 20)
        for input in inputs {
            do throws(ParserCheck.Broken) {
                try check.run(input)
            } catch {
                Issue.record("\(check.rawValue): \(error.promise): \(Data(input).base64EncodedString())")
            }
        }
    }
}
