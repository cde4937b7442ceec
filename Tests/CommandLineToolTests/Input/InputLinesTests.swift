import Foundation
import Testing

@testable import CommandLineTool

/// Where the lines of a file end, wherever the pieces end in which it is read.
@Suite struct InputLinesTests {
    private static func lines(_ text: String) throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "lines-\(UUID().uuidString)").path()
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        let lines = try InputLines(path)
        let all = lines.map { "\($0.number) " + String(decoding: $0.bytes, as: UTF8.self) }
        #expect(lines.failure == nil)
        return all
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func everyLineEndIsOne(end: String) throws {
        #expect(try Self.lines(["a", "", "b", "c"].joined(separator: end)) == ["1 a", "3 b", "4 c"])
        #expect(try Self.lines(["\u{FEFF}a", "b"].map { $0 + end }.joined()) == ["1 a", "2 b"])
    }

    @Test func theEndMayFallBetweenTwoReads() throws {
        for length in [65_534, 65_535, 65_536] {
            let long = String(repeating: "x", count: length)
            for end in ["\n", "\r\n", "\r"] {
                #expect(try Self.lines("\(long)\(end)b\(end)c") == ["1 \(long)", "2 b", "3 c"], "\(length)")
            }
        }
    }

    @Test func aStrayCarriageReturnEndsNoLine() throws {
        #expect(try Self.lines("a\nb\rb\nc\r\n") == ["1 a", "2 b\rb", "3 c"])
        #expect(try Self.lines("a\r") == ["1 a"])
    }
}
