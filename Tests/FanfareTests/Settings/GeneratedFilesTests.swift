import Foundation
import Testing

/// What bin/generate made and somebody committed is what this binary prints.
@Suite struct GeneratedFilesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    private static let files = [
        "share/completions/fanfare.bash": ["--generate-completion-script", "bash"],
        "share/completions/_fanfare": ["--generate-completion-script", "zsh"],
        "share/completions/fanfare.fish": ["--generate-completion-script", "fish"],
        "share/man/fanfare.1": ["manual"],
        "config.schema.json": ["config", "schema"],
        "docs/configuration.md": ["config", "reference"],
    ]

    @Test(arguments: files.keys.sorted())
    func theyAreUpToDate(file: String) async throws {
        let printed = try await Fanfare(settings: nil).run(try #require(Self.files[file]))
        #expect(printed.status == 0, "\(printed.errors)")
        let committed = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        // Not the two texts: a failure would print both.
        let isCurrent = committed == printed.output
        #expect(isCurrent, "\(file) is not what the binary prints: run bin/generate and commit")
    }

    /// A shell with the script completes the commands and the options that there are.
    @Test(arguments: [
        ("fanfare mig", 1, "migrate"), ("fanfare config ", 2, "schema"), ("fanfare drain --max", 2, "--max-runtime"),
        ("fanfare run --log-format ", 3, "json"),
    ])
    func bashCompletes(typed: String, word: Int, expected: String) async throws {
        let script = Self.root.appending(path: "share/completions/fanfare.bash").path()
        let words = typed.split(separator: " ", omittingEmptySubsequences: false).joined(separator: "' '")
        let process = Fanfare(settings: nil).process([
            "--norc", "-c",
            """
            source '\(script)'
            COMP_WORDS=('\(words)'); COMP_CWORD=\(word); COMP_LINE='\(typed)'; COMP_POINT=${#COMP_LINE}
            _fanfare fanfare "${COMP_WORDS[\(word)]}" "${COMP_WORDS[\(word - 1)]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """,
        ])
        process.executableURL = URL(filePath: "/bin/bash")
        let scratch = try Scratch()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try scratch.open("output")
        process.standardError = try scratch.open("errors")
        let run = try ServiceBench.Process(process)
        #expect(await run.ended == 0)
        let offered = try scratch.read("output").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let errors = try scratch.read("errors")
        #expect(offered.contains(expected), "\(offered) \(errors)")
    }

    @Test func theManualHasEveryCommandAndIsNoFaultForItsFormatter() async throws {
        let manual = Self.root.appending(path: "share/man/fanfare.1").path()
        let text = try String(contentsOfFile: manual, encoding: .utf8)
        for command in ["run", "drain", "config schema", "messages show"] {
            #expect(text.contains("\n.Ss \(command)\n"))
        }
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/groff") else { return }
        let process = Fanfare(settings: nil).process(["-mandoc", "-Tutf8", "-ww", "-z", manual])
        process.executableURL = URL(filePath: "/usr/bin/groff")
        let scratch = try Scratch()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try scratch.open("output")
        process.standardError = try scratch.open("errors")
        let run = try ServiceBench.Process(process)
        #expect(await run.ended == 0)
        #expect(try scratch.read("errors") == "")
    }
}
