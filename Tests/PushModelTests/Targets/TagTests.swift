import Testing
import VectorSupport

@testable import PushModel

@Suite struct TagTests {
    struct File: Decodable {
        struct Invalid: Decodable {
            var tag: String
            var reason: String
        }
        var maxLength: Int
        var valid: [String]
        var invalid: [Invalid]
        var unicodeUndecided: [String]
    }
    static func file() throws -> File { try Vectors.read("tags") }

    @Test(arguments: try file().valid)
    func everyValidTagIsRead(text: String) throws {
        #expect(try Tag(text).text == text)
    }

    @Test(arguments: try file().invalid.map(\.tag))
    func everyInvalidTagIsRefused(text: String) {
        #expect(throws: TagError.self) { try Tag(text) }
        #expect(!Tag.isPlain(text))
    }

    @Test(arguments: try file().unicodeUndecided)
    func aTagIsASCIIBecauseAHeaderIs(text: String) {
        #expect(throws: TagError.self) { try Tag(text) }
        #expect(!Tag.isPlain(text))
    }

    @Test func theLengthLimitIsTheDocumentedOne() throws {
        #expect(try Tag.lengthLimit == Self.file().maxLength)
    }

    @Test func tagsCompareWithoutCase() throws {
        #expect(try Tag("World") == Tag("wORLD"))
        #expect(try Set([Tag("World"), Tag("world")]).count == 1)
    }

    @Test func theFastCheckAgreesWithTheParserOnTagsWithoutDollar() {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("aZ09_@#.:- ,é|&!($\u{7f}")
        for _ in 0..<5_000 {
            let text = random.text(of: alphabet, upTo: 6)
            let parsed = (try? Tag(text)) != nil  // only whether it parses matters
            #expect(Tag.isPlain(text) == parsed, "\(text.quoted)")
        }
    }

    @Test(arguments: [
        ("", 1, "it is empty"),
        ("Wörld", 2, "\"ö\" is not allowed; a tag has ASCII letters, digits and _ @ # . : -"),
        ("a\nb", 2, "\"U+000A\" is not allowed; a tag has ASCII letters, digits and _ @ # . : -"),
        ("$Other:{x}", 1, "\"$\" starts only $InstallationId:{...} and $UserId:{...}"),
        ("$UserId:{x", 11, "\"}\" is missing"),
        ("$UserId:{}", 10, "there is nothing between \"{\" and \"}\""),
        ("$UserId:{a}b", 12, "\"b\" is not allowed; a tag has ASCII letters, digits and _ @ # . : -"),
        (String(repeating: "a", count: 121), 1, "the tag has 121 characters, at most 120 are allowed"),
    ])
    func anErrorNamesThePositionAndTheRule(text: String, position: Int, rule: String) {
        #expect { try Tag(text) } throws: { ($0 as? TagError) == TagError(at: position - 1, rule) }
    }
}
