import Foundation
import Testing

@testable import HubEmulator

/// The fuzzer's corpus, and every input that once broke a promise (bin/fuzz).
@Suite struct CorpusTests {
    @Test(arguments: ParserCheck.allCases)
    func everyInputKeepsTheParsersPromises(check: ParserCheck) throws {
        let url = try #require(Bundle.module.url(forResource: "Vectors/Corpus/\(check.rawValue)", withExtension: "txt"))
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        #expect(lines.count >= 20)
        for line in lines {
            let input = Array(try #require(Data(base64Encoded: String(line))))
            do throws(ParserCheck.Broken) {
                try check.run(input)
            } catch {
                Issue.record("\(check.rawValue): \(error.promise): \(line)")
            }
        }
    }
}
