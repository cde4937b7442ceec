import Foundation
import PushModel
import TestSupport
import Testing

@testable import Console

/// What people copy out of a page means what it shows, whatever it holds.
@Suite struct CopiedTextTests {
    static let hostile = [
        "news", "", "it's", "a\\b", "'; DROP TABLE push.hub; --", "'\u{301}x", "\u{1B}[201~\n rm -rf '",
        "a\u{202E}b\\'",
        "$(reboot) `id` $HOME", "--force", "*", "a b", "é", "!x", "#", "~", "\u{85}",
    ]

    @Test(arguments: hostile) func postgresReadsALiteralAsTheText(_ text: String) async throws {
        let literal = SQLText.literal(text)
        #expect(!literal.hasControls)
        let test = try await TestDatabase.make()
        #expect(try await test.texts("SELECT \(raw: literal)") == [text])
    }

    @Test(arguments: hostile) func aShellReadsAWordAsTheText(_ text: String) throws {
        let word = ShellText.word(text)
        #expect(!word.hasControls)
        let bash = Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        bash.arguments = ["-c", "printf %s \(word)x"]
        bash.environment = ["LC_ALL": "C.UTF-8", "PATH": "/nowhere"]
        let output = Pipe()
        bash.standardOutput = output
        try bash.run()
        let read = output.fileHandleForReading.readDataToEndOfFile()
        bash.waitUntilExit()
        #expect(String(decoding: read, as: UTF8.self) == text + "x")
    }

    @Test func aValueThatBeginsWithADashIsNoOption() {
        #expect(ShellText.option("--device", "-x") == "--device=-x")
        #expect(ShellText.option("--device", "a b") == "--device 'a b'")
    }
}

extension String {
    fileprivate var hasControls: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E }
    }
}
