import Foundation
import ProgramSupport
import Testing

/// `completions`: a shell with the script completes the commands and options of the program.
@Suite struct CompletionTests {
    /// What a person has typed, and one of the words the shell must then offer.
    struct Line: CustomTestStringConvertible {
        let typed: String
        let expected: String
        var words: [String] { typed.split(separator: " ", omittingEmptySubsequences: false).map(String.init) }
        var program: String { words[0] }
        var testDescription: String { typed }
    }

    /// The programs that packages install.
    static let programs = ["fanfare", "fanfare-emulator"]
    static let lines = [
        Line(typed: "fanfare mig", expected: "migrate"),
        Line(typed: "fanfare config ", expected: "schema"),
        Line(typed: "fanfare drain --max", expected: "--max-runtime"),
        Line(typed: "fanfare run --log-format ", expected: "json"),
        Line(typed: "fanfare-emulator inb", expected: "inbox"),
        Line(typed: "fanfare-emulator device ", expected: "add"),
        Line(typed: "fanfare-emulator run --seed", expected: "--seed-devices"),
        Line(typed: "fanfare-emulator run --tier ", expected: "basic"),
    ]

    /// The script, named as packages install it.
    private func script(of program: String, for shell: String, named name: String) async throws -> ScratchDirectory {
        let printed = try await BuiltProgram(program, settings: nil)("completions", shell)
        #expect(printed.status == 0 && printed.errors.isEmpty, "\(printed.errors)")
        #expect(printed.output.contains(program))
        let scratch = try ScratchDirectory()
        try scratch.write(printed.output, to: name)
        return scratch
    }

    private func offered(_ ended: Tool.Ended) -> [String] {
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        // fish adds the description of a word behind a tab.
        return ended.output.split(separator: "\n").map {
            $0.prefix { $0 != "\t" }.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test(arguments: lines)
    func bashCompletes(line: Line) async throws {
        let scratch = try await script(of: line.program, for: "bash", named: line.program)
        let current = line.words.count - 1
        let ended = try await Tool.shell([
            "--norc", "-c",
            """
            source '\(scratch.path)/\(line.program)'
            COMP_WORDS=('\(line.words.joined(separator: "' '"))'); COMP_CWORD=\(current)
            COMP_LINE='\(line.typed)'; COMP_POINT=${#COMP_LINE}
            function=$(complete -p \(line.program) | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
            "$function" \(line.program) '\(line.words[current])' '\(line.words[current - 1])'
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
        ])
        #expect(offered(ended).contains(line.expected), "\(ended)")
    }

    @Test(.enabled(if: Tool.fish.isExpected, Tool.advice), arguments: lines)
    func fishCompletes(line: Line) async throws {
        let scratch = try await script(of: line.program, for: "fish", named: "\(line.program).fish")
        let path = "\(scratch.path)/\(line.program).fish"
        let checked = try await Tool.fish(["--no-config", "--no-execute", path])
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked)")
        // The script asks the program itself for some of the words.
        let directory = URL(filePath: BuiltProgram.path(of: line.program)).deletingLastPathComponent().path()
        let ended = try await Tool.fish([
            "--no-config", "-c", "set -p PATH \(directory); source \(path); complete -C '\(line.typed)'",
        ])
        #expect(offered(ended).contains(line.expected), "\(ended)")
    }

    /// zsh reads the script and registers its function for the program.
    @Test(.enabled(if: Tool.zsh.isExpected, Tool.advice), arguments: programs)
    func zshKnowsTheFunctionOfTheProgram(program: String) async throws {
        let scratch = try await script(of: program, for: "zsh", named: "_\(program)")
        let checked = try await Tool.zsh(["--no-rcs", "--no-exec", "\(scratch.path)/_\(program)"])
        #expect(checked.status == 0 && checked.errors.isEmpty, "\(checked)")
        let ended = try await Tool.zsh([
            "--no-rcs", "-c",
            """
            fpath=(\(scratch.path) $fpath)
            autoload -Uz compinit && compinit -D -u
            print -- $_comps[\(program)]
            autoload +X _\(program) && print loaded
            """,
        ])
        #expect(offered(ended) == ["_\(program)", "loaded"], "\(ended)")
    }

    @Test(arguments: programs)
    func bashFindsNoFault(program: String) async throws {
        let scratch = try await script(of: program, for: "bash", named: program)
        let ended = try await Tool.shell(["--norc", "-n", "\(scratch.path)/\(program)"])
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
    }

    /// The hubs and keys are those of the settings that the command would read.
    @Test(arguments: [
        ("fanfare hub pause --config FILE ", "breaking"), ("fanfare message list --config FILE --hub ", "sport"),
        ("fanfare status --config FILE --set ", "dispatch.batch="),
        ("fanfare status --config FILE --set ", "hubs.sport.window="), ("fanfare hub pause --config /none ", ""),
    ])
    func bashCompletesWhatTheSettingsHave(typed: String, expected: String) async throws {
        let scratch = try await script(of: "fanfare", for: "bash", named: "fanfare")
        try scratch.write(#"{"hubs": {"breaking": {}, "sport": {}}}"#, to: "config.json")
        let typed = typed.replacing("FILE", with: "\(scratch.path)/config.json")
        let words = typed.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let directory = URL(filePath: BuiltProgram.path(of: "fanfare")).deletingLastPathComponent().path()
        let ended = try await Tool.shell([
            "--norc", "-c",
            """
            PATH='\(directory)':$PATH
            source '\(scratch.path)/fanfare'
            COMP_WORDS=('\(words.joined(separator: "' '"))'); COMP_CWORD=\(words.count - 1)
            COMP_LINE='\(typed)'; COMP_POINT=${#COMP_LINE}
            function=$(complete -p fanfare | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
            "$function" fanfare '' '\(words[words.count - 2])'
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
        ])
        #expect(expected.isEmpty || offered(ended).contains(expected), "\(ended)")
    }
}
