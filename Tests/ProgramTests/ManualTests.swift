import Foundation
import ProgramSupport
import Testing

/// `fanfare manual` and `fanfare-emulator manual`: the pages that packages install.
@Suite struct ManualTests {
    private func page(of program: String) async throws -> String {
        let printed = try await BuiltProgram(program, settings: nil)("manual")
        #expect(printed.status == 0 && printed.errors.isEmpty, "\(printed.errors)")
        return printed.output
    }

    @Test(arguments: [
        ("fanfare", ["run", "drain", "config schema", "message show"]),
        ("fanfare-emulator", ["run", "inbox", "device add"]),
    ])
    func theManualHasEveryCommand(program: String, commands: [String]) async throws {
        let text = try await page(of: program)
        #expect(text.contains("\n.Dt \(program.uppercased()) 1\n"))
        for command in commands { #expect(text.contains("\n.Ss \(command)\n"), "\(command)") }
    }

    @Test(.enabled(if: Tool.groff.isExpected, Tool.advice), arguments: CompletionTests.programs)
    func groffFindsNoFault(program: String) async throws {
        let ended = try await Tool.groff(["-mandoc", "-Tutf8", "-ww", "-z"], input: page(of: program))
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
    }

    @Test(.enabled(if: Tool.mandoc.isExpected, Tool.advice), arguments: CompletionTests.programs)
    func mandocFindsNoFault(program: String) async throws {
        let ended = try await Tool.mandoc(["-Tlint", "-Wwarning"], input: page(of: program))
        #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
    }
}
