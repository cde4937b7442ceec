import Foundation
import ProgramSupport
import Testing

/// Programs that tests write and start.
@Suite struct ScratchProgramTests {
    /// Nobody else's child holds a copied program open: it starts whatever other tests start. (Copied by this process, some of
    /// 200 did not start on a busy machine.)
    @Test func aCopiedProgramStartsBesideOthers() async throws {
        let scratch = try ScratchDirectory()
        let others = (1...4).map { _ in
            Task {
                let tool = Tool("true")
                while !Task.isCancelled { _ = try await tool([]) }
            }
        }
        defer { for other in others { other.cancel() } }
        for number in 1...100 {
            let program = try await scratch.program("/usr/bin/true", as: "program-\(number)")
            let ended = try await BuiltProgram(program, settings: nil)()
            #expect(ended.status == 0, "\(ended)")
        }
    }
}
