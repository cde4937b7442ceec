import Foundation
import ProgramSupport
import Testing

/// Programs that tests write and start.
@Suite struct ScratchProgramTests {
    /// Nobody else's child holds a copied program open: it starts whatever other tests start.
    @Test func aCopiedProgramStartsBesideOthers() async throws {
        let scratch = try ScratchDirectory()
        let others = Task {
            let tool = Tool("true")
            while !Task.isCancelled { _ = try await tool([]) }
        }
        for number in 1...20 {
            let program = try await scratch.program(BuiltProgram.path(of: "fanfare"), as: "program-\(number)")
            let ended = try await BuiltProgram(program, settings: nil)("--version")
            #expect(ended.status == 0, "\(ended)")
            try FileManager.default.removeItem(atPath: program)
        }
        others.cancel()
        _ = try? await others.value  // a run that the end of the test cut off
    }
}
