import Foundation
import Testing
import VectorSupport

@testable import Postgres

/// Every input that the fuzzer kept, every one that once broke a promise (bin/fuzz), and variants of them.
@Suite(.timeLimit(.minutes(10))) struct FieldCheckTests {
    @Test func noFieldIsReadOutsideItsBytes() async throws {
        let inputs = try Vectors.corpus("field")
        #expect(inputs.count >= 20)
        for input in inputs {
            for type in stride(from: UInt8(input.count % 3), to: 24, by: 3) {
                try run([type] + input.dropFirst(), of: input)
            }
            // Lengths that do not fit the bytes are the danger.
            for part in 1...4 {
                let end = input.count * part / 5
                try run(Array(input[..<end]), of: input)
                guard end < input.count else { continue }
                var changed = input
                changed[end] = [0, 0x7F, 0xFF][end % 3]
                try run(changed, of: input)
            }
            await Task.yield()  // other tests wait for a thread
        }
    }

    private func run(_ input: [UInt8], of kept: [UInt8]) throws {
        do throws(FieldCheck.Broken) {
            try FieldCheck.field.run(input)
        } catch {
            Issue.record(
                "\(error.promise): \(Data(input).base64EncodedString()), from \(Data(kept).base64EncodedString())")
        }
    }
}
