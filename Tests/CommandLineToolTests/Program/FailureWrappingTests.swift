import Files
import Testing

@testable import CommandLineTool

@Suite struct FailureWrappingTests {
    private struct Fault: Error, CustomStringConvertible {
        let description = "it is broken"
    }

    @Test func anErrorBecomesTheReason() throws {
        #expect(try Failure.wrapping("file") { 7 } == 7)
        let failure = #expect(throws: Failure.self) {
            try Failure.wrapping("file", hint: "Mend it.", status: .configuration) { throw Fault() }
        }
        #expect(failure?.text() == "fanfare: file: it is broken\nhint: Mend it." && failure?.status == .configuration)
    }

    @Test func aFileThatCannotBeWrittenIsNamed() {
        let failure = #expect(throws: Failure.self) {
            try Failure.writing("/nowhere/a") { () throws(FileFault) in
                _ = try AtomicFile("/nowhere/a", mode: 0o600)
            }
        }
        #expect(failure?.status == .cannotWrite)
        #expect(failure?.text().hasPrefix("fanfare: cannot write /nowhere/a: ") == true)
    }
}
