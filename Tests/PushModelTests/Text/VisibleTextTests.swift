import Foundation
import Testing

@testable import PushModel

/// What every line on a terminal goes through.
@Suite struct VisibleTextTests {
    @Test(arguments: [
        ("plain, é, 😀, 👨‍👩‍👧", "plain, é, 😀, 👨‍👩‍👧"), ("a\n\tb", "a\n\tb"),
        ("k\u{1B}]0;pwn\u{7}", "k\\u001b]0;pwn\\u0007"), ("\u{1B}[2J\r", "\\u001b[2J\\u000d"),
        ("a\u{202E}b\u{2066}", "a\\u202eb\\u2066"), ("\u{9B}31m\u{7F}", "\\u009b31m\\u007f"), ("\u{2028}", "\\u2028"),
        ("", ""),
    ])
    func nothingCommandsATerminal(_ text: String, shown: String) {
        #expect(text.visible == shown)
        #expect(shown.visible == shown)
    }

    /// What programs read is the same to them.
    @Test func jsonStaysTheSame() throws {
        let text = "a\u{202E}b\u{85}\u{7F}\u{200F}c"
        let document = "{\"key\":\n\t\"\(text)\"}"
        let read = try JSONDecoder().decode([String: String].self, from: Data(document.visible.utf8))
        #expect(read == ["key": text])
    }
}
