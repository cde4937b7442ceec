import ProgramSupport
import Testing

/// The words of commands: one for each thing, in the singular. That of the documents is in `PlainWordsTests`.
@Suite struct CommandWordsTests {
    /// What a command prints many of, and words that end like a plural.
    private static let withS: Set = [
        "completions", "events", "postgres", "results", "sas", "states", "status", "suppress",
    ]

    @Test(arguments: HelpTests.programs)
    func nounsAreInTheSingular(program: String) async throws {
        // The program itself is no command.
        let commands = try await HelpTests().commands(of: program).filter { !$0.path.isEmpty }
        for command in commands where command.commandName.hasSuffix("s") {
            #expect(Self.withS.contains(command.commandName), "\(command.path)")
        }
    }

    @Test(arguments: HelpTests.programs)
    func noHelpNamesAFormerWord(program: String) async throws {
        for command in try await HelpTests().commands(of: program) where command.commandName != "emulate" {
            let help = try await BuiltProgram(program, settings: nil).run(command.path + ["--help-hidden"]).output
            #expect(FormerWords.found(in: help).isEmpty, "\(command.path)")
        }
    }

    @Test(arguments: CompletionTests.programs)
    func neitherManualNorCompletionsNameAFormerWord(program: String) async throws {
        let run = BuiltProgram(program, settings: nil)
        var texts = [try await run("manual").output]
        for shell in ["bash", "zsh", "fish"] { texts.append(try await run("completions", shell).output) }
        for text in texts {
            #expect(text.count > 1000)
            #expect(FormerWords.found(in: text).isEmpty)
        }
    }

    /// A former word is no command, and the error names the one there is.
    @Test(arguments: [
        ("messages list", "message"), ("devices list", "device"), ("tags check a", "tag"),
        ("metrics reference", "metric"),
        ("hub set-rate news 5", nil), ("campaign doubts spring", nil), ("campaign schedule spring", nil),
    ])
    func aFormerWordIsNoCommand(words: String, meant: String?) async throws {
        let ended = try await BuiltProgram(settings: nil).run(words.split(separator: " ").map(String.init))
        #expect(ended.status == 64 && ended.errors.contains("has no command"), "\(ended)")
        if let meant { #expect(ended.errors.contains("did you mean \(meant)?"), "\(ended)") }
    }
}
