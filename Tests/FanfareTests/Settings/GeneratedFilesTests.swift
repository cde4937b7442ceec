import ProgramSupport
import Foundation
import Testing

/// What bin/generate made and somebody committed is what this binary prints.
@Suite struct GeneratedFilesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")

    private static let files = [
        "config.schema.json": ["config", "schema"],
        "docs/configuration.md": ["config", "reference"],
    ]

    @Test(arguments: files.keys.sorted())
    func theyAreUpToDate(file: String) async throws {
        let printed = try await BuiltProgram(settings: nil).run(try #require(Self.files[file]))
        #expect(printed.status == 0, "\(printed.errors)")
        let committed = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        // Not the two texts: a failure would print both.
        let isCurrent = committed == printed.output
        #expect(isCurrent, "\(file) is not what the binary prints: run bin/generate and commit")
    }
}
