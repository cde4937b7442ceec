import ProgramSupport
import Testing

@testable import fanfare

@Suite struct MessagePortionsTests {
    private static func portions(_ lines: [String], of size: Int) throws -> [[Int]] {
        let scratch = try ScratchDirectory()
        var portions = try MessagePortions(try scratch.write(lines.joined(separator: "\n"), to: "f"), lines: size)
        var found: [[Int]] = []
        while let portion = try portions.next() { found.append(portion.map(\.number)) }
        return found
    }

    private static func line(_ tag: String, _ locale: String? = nil, bytes: Int = 1) -> String {
        let locale = locale.map { #""locale": "\#($0)", "# } ?? ""
        return
            #"{"hub": "news", "tag": "\#(tag)", \#(locale)"content": {"t": "\#(String(repeating: "x", count: bytes))"}}"#
    }

    @Test func aPortionHasSoManyLines() throws {
        #expect(try Self.portions(["", "\n"], of: 3).isEmpty)
        #expect(try Self.portions((1...7).map { Self.line("t\($0)") }, of: 3) == [[1, 2, 3], [4, 5, 6], [7]])
    }

    @Test func translationsStayTogetherWithinBounds() throws {
        let lines = [Self.line("a"), Self.line("b"), Self.line("c", "en"), Self.line("c", "fr"), Self.line("d", "en")]
        #expect(try Self.portions(lines, of: 3) == [[1, 2, 3, 4], [5]])
        let same = (1...9).map { Self.line("c", "l\($0)") }
        #expect(try Self.portions(same, of: 3) == [[1, 2, 3, 4, 5, 6], [7, 8, 9]])
    }

    @Test func aPortionIsBoundedInBytes() throws {
        let lines = (1...5).map { Self.line("t\($0)", bytes: 2_100_000) }
        #expect(try Self.portions(lines, of: 5_000) == [[1, 2], [3, 4], [5]])
    }
}
