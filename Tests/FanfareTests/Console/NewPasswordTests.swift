import CommandLineTool
import Foundation
import Testing

@testable import fanfare

@Suite struct NewPasswordTests {
    @Test(arguments: [
        "12345678", "correct horse", "пароль пароль", " blanks count ", String(repeating: "x", count: 1_024),
    ])
    func aLineIsAPassword(text: String) throws {
        #expect(try NewPassword(Array(text.utf8)).text == text)
    }

    @Test(arguments: [
        ("", "it is empty"), ("1234567", "it has fewer than 8 characters"),
        ("пароль", "it has fewer than 8 characters"),
        ("e\u{301}e\u{301}e\u{301}e\u{301}", "it has fewer than 8 characters"),
        ("correct\u{1B}[A horse", "it has a control character"),
        ("correct\thorse", "it has a control character"), ("correct\u{0}horse", "it has a control character"),
        (String(repeating: "x", count: 1_025), "it has more than 1024 bytes"),
    ])
    func aPasswordThatIsWeakOrCannotBeTypedIsRefusedAndNotShown(text: String, why: String) {
        let failure = #expect(throws: Failure.self) { try NewPassword(Array(text.utf8)) }
        #expect(failure?.complaints.map(\.why) == [why] && failure?.status == .badInput)
        #expect(text.isEmpty || failure?.text().contains(text) == false)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        let failure = #expect(throws: Failure.self) { try NewPassword(Array("correct ".utf8) + [0xFF, 0xFE]) }
        #expect(failure?.complaints.map(\.why) == ["it is not UTF-8"])
    }

    private func line(_ bytes: [UInt8]) throws -> [UInt8] {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: bytes)
        try pipe.fileHandleForWriting.close()
        return try NewPassword.line(of: pipe.fileHandleForReading.fileDescriptor)
    }

    @Test(arguments: ["correct horse", "correct horse\n", "correct horse\r\n"])
    func theEndOfTheLineIsNoPartOfIt(text: String) throws {
        #expect(try line(Array(text.utf8)) == Array("correct horse".utf8))
    }

    @Test(arguments: ["correct horse\n\n", "correct\nhorse", "correct\nhorse\n", "\ncorrect horse"])
    func aSecondLineIsRefused(text: String) throws {
        #expect(throws: Failure.self) { try line(Array(text.utf8)) }
    }

    /// The writer may never end.
    @Test func aLongInputIsNotReadToItsEnd() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: [UInt8](repeating: 0x78, count: 1_100))
        let line = try NewPassword.line(of: pipe.fileHandleForReading.fileDescriptor)
        #expect(throws: Failure.self) { try NewPassword(line) }
        try pipe.fileHandleForWriting.close()
    }
}
