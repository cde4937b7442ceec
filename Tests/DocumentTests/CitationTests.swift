import Foundation
import ProgramSupport
import Testing

/// A reader can open everything that a comment or a document refers to.
@Suite struct CitationTests {
    static let documents = Checkout.paths.filter { $0.hasSuffix(".md") }
    private static let sources = ["Sources", "migrations", "Tests", "bin", "deploy", "Benchmarks"]
    /// Files that a user makes.
    private static let madeByUsers: Set = ["deploy/config.json"]

    /// Documents, vectors and files of the schema that comments cite, such as docs/storage.md.
    @Test func everyFileThatACommentCitesExists() throws {
        let citation =
            /(?:^|[^A-Za-z0-9_.\/*~{}$-])((?:[A-Za-z0-9_+@-]+\/)*[A-Za-z0-9_-]+\.(?:md|json|sql))(?![A-Za-z0-9_*])/
        var count = 0
        var missing: [String] = []
        for (path, comments) in Self.commented {
            for comment in comments {
                for match in comment.matches(of: citation) where !Self.madeByUsers.contains(String(match.1)) {
                    count += 1
                    if Checkout.resolve(String(match.1), citedIn: path) == nil { missing.append("\(path): \(match.1)") }
                }
            }
        }
        let isWhole = missing.isEmpty
        #expect(isWhole, Self.list(missing))
        #expect(count > 50, "the comments cite files")
    }

    /// Comments cite a document by its headings, as in docs/storage.md, "Claim". Numbers of sections change.
    @Test func everyHeadingThatACommentCitesExists() throws {
        var count = 0
        var missing: [String] = []
        for (path, comments) in Self.commented {
            // A citation may go on in the next line.
            let text = comments.map { $0.drop { " /".contains($0) } }.joined(separator: " ")
            for match in text.matches(of: /[A-Za-z0-9_\/-]+\.md,? sections? [0-9]+/) {
                missing.append("\(path): \(match.0)")
            }
            for match in text.matches(of: /([A-Za-z0-9_\/-]+\.md)((?:, "[^"]+")+)/) {
                guard let document = Checkout.resolve(String(match.1), citedIn: path) else { continue }
                let headings = try Checkout.headings(of: document).texts
                for heading in match.2.matches(of: /"([^"]+)"/) {
                    count += 1
                    if !headings.contains(String(heading.1.replacing("`", with: ""))) {
                        missing.append("\(path): \(document), \(heading.0)")
                    }
                }
            }
        }
        let isWhole = missing.isEmpty
        #expect(isWhole, Self.list(missing))
        #expect(count > 20, "the comments cite headings")
    }

    @Test func everyLinkOfADocumentLeadsSomewhere() throws {
        var missing: [String] = []
        for path in Self.documents {
            let prose = try Checkout.prose(of: path)
            for match in prose.matches(of: /\]\(([^)\s]+)\)/) where !match.1.contains(/^[a-z]+:/) {
                let parts = match.1.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init)
                let target = Checkout.target(of: parts[0], in: path)
                if !Checkout.exists(target) {
                    missing.append("\(path): \(match.1)")
                } else if parts.count == 2, target.hasSuffix(".md"),
                    try !Checkout.headings(of: target).anchors.contains(parts[1])
                {
                    missing.append("\(path): \(match.1), a heading")
                }
            }
        }
        let isWhole = missing.isEmpty
        #expect(isWhole, Self.list(missing))
        #expect(Self.documents.count > 10)
    }

    /// Paths in code marks, such as `Sources/PushWorker/Lanes`; of a pattern the folder.
    @Test func everyPathInADocumentExists() throws {
        let named = /`((?:Sources|Tests|migrations|bin|deploy|docs|Benchmarks|Fuzzing|share)\/[A-Za-z0-9_@.\/+-]*)(\*?)/
        var missing: [String] = []
        for path in Self.documents {
            for match in try Checkout.prose(of: path).matches(of: named) where !match.1.contains("/.") {
                let folder = match.1.split(separator: "/").dropLast().joined(separator: "/")
                if !Checkout.exists(match.2.isEmpty ? String(match.1) : folder) {
                    missing.append("\(path): \(match.1)")
                }
            }
        }
        let isWhole = missing.isEmpty
        #expect(isWhole, Self.list(missing))
    }

    /// Suites such as `RoleTests`, and tests by their names, that documents give as evidence.
    @Test func everyTestThatADocumentNamesExists() throws {
        let tests = try Checkout.paths(in: ["Tests"]).filter { $0.hasSuffix(".swift") }
            .map { try Repository.text($0) }.joined(separator: "\n")
        let suites = Set(tests.matches(of: /\b(?:struct|class|enum) ([A-Za-z0-9]+Tests)\b/).map { String($0.1) })
            .union(try Repository.files(in: "Tests"))
        let functions = tests.matches(of: /\bfunc ([a-z][A-Za-z0-9]+)\(/).map { String($0.1) }
        var missing: [String] = []
        for path in Self.documents {
            let text = try Repository.text(path)
            for match in text.matches(of: /\b([A-Z][A-Za-z0-9]*Tests)\b/) where !suites.contains(String(match.1)) {
                missing.append("\(path): \(match.1)")
            }
            // Words enough for a sentence; an ellipsis may stand for its end.
            for match in text.matches(of: /`(?:[A-Za-z]+Tests\.)?([a-z]+(?:[A-Z][a-z0-9]*){4,})…?`/) {
                if !functions.contains(where: { $0.hasPrefix(match.1) }) { missing.append("\(path): \(match.1)") }
            }
        }
        let isWhole = missing.isEmpty
        #expect(isWhole, Self.list(missing))
    }

    /// The sources with comments, and their comments.
    private static let commented: [(path: String, comments: [String])] = Checkout.paths(in: sources).compactMap {
        path in
        guard !path.contains("/Vectors/"), !path.contains(/\.(png|json|md)$/) else { return nil }
        return (try? Checkout.comments(of: path)).map { (path, $0) }  // nil: not a text
    }

    private static func list(_ missing: [String]) -> Comment {
        "\(missing.count) refer to nothing:\n\(missing.joined(separator: "\n"))"
    }
}
