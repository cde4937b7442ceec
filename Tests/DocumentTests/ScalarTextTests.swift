import ProgramSupport
import Testing

/// Marks are found by Unicode scalars. `Character` passes over a mark that shares its character with a neighbour: `'` after
/// U+0600, `"` before U+0301.
@Suite struct ScalarTextTests {
    private static let calls = [".replacing(\"", ".joined(", ".map { $0 == \""]

    /// What escapes, unescapes or splits by marks of ASCII alone, and what to write instead.
    private static func finding(in line: Substring) -> String? {
        // Nearly every line; the patterns take longer.
        guard calls.contains(where: { line.utf8.firstRange(of: $0.utf8) != nil }) else { return nil }
        for match in line.matches(of: /\.replacing\("((?:\\.|[^"\\])+)"/) {
            let text = match.1.replacing(/\\[nrt]/, with: "")
            let isMarks = text.contains { $0 != " " } && text.allSatisfy { $0.isASCII && !$0.isLetter }
            if isMarks { return "write .replacing(scalars: \"\(match.1)\", with:)" }
        }
        if line.contains(/\.split\(separator: "[^"]+", omittingEmptySubsequences: false\)\.joined\(/) {
            return "write .replacing(scalars:with:)"
        }
        if line.contains(/\.map \{ \$0 == "/), !line.contains("unicodeScalars.map") {
            return "write .unicodeScalars.map"
        }
        return nil
    }

    @Test(arguments: [
        #"text.replacing("'", with: "\\'")"#, #"text.replacing("\"", with: "")"#, #"text.replacing("]]>", with: "")"#,
        #"a.replacing("x", with: "y").replacing("~1", with: "/")"#,
        #"text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")"#,
        #"let escaped = value.map { $0 == "'" ? "\\'" : String($0) }"#,
    ])
    func aMarkIsSeen(line: String) { #expect(Self.finding(in: line[...]) != nil) }

    @Test(arguments: [
        #"text.replacing("{language}", with: word)"#, #"text.replacing("\r\n", with: "\n")"#,
        #"text.replacing(scalars: "'", with: "")"#, #"lines.joined(separator: " ").replacing(" \(guess)", with: "")"#,
        #"let escaped = value.unicodeScalars.map { $0 == "'" ? "\\'" : String($0) }"#,
        #"let words = text.split(separator: " ", omittingEmptySubsequences: false)"#,
    ])
    func allElseIsLeft(line: String) { #expect(Self.finding(in: line[...]) == nil) }

    @Test func noSourceEscapesByCharacters() throws {
        var found: [String] = []
        for path in Checkout.paths(in: ["Sources"]) where path.hasSuffix(".swift") {
            let lines = try Repository.text(path).split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                if let finding = Self.finding(in: line) { found.append("\(path):\(index + 1): \(finding)") }
            }
        }
        #expect(found == [])
    }
}
