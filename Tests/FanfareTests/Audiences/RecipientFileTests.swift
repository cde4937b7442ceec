import CommandLineTool
import Foundation
import Store
import Testing

@testable import fanfare

/// What is a file of recipients, and which line is not.
@Suite struct RecipientFileTests {
    /// All recipients of a file, or its bad lines.
    private static func read(_ text: String, _ options: [String] = []) throws -> [String] {
        try read(Data(text.utf8), options)
    }

    private static func read(_ bytes: Data, _ options: [String] = []) throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "recipients-\(UUID().uuidString)").path()
        try bytes.write(to: URL(filePath: path))
        defer { unlink(path) }
        let file = try RecipientFile(path, BadLines(BadLineOptions.parse(options)))
        var all: [String] = []
        while true {
            let some = try file.next(2)
            if some.isEmpty { return all }
            all += some.map { member in
                [member.key, member.tag, member.handle, member.locale, member.properties].map { $0 ?? "-" }
                    .joined(separator: "|")
            }
        }
    }

    @Test func columnsThatAreNotKnownAreTheRecipientsOwnProperties() throws {
        let lines = [
            "\u{FEFF}key,tag,locale,name,city", #"1,user:1,fr,"Ada, ""the first""","#, "2,user:2,,,Zürich",
            "3,user:3,,,",
        ]
        let read = try Self.read(lines.map { $0 + "\r\n" }.joined())
        #expect(
            read == [
                #"1|user:1|-|fr|{"name":"Ada, \"the first\""}"#, #"2|user:2|-|-|{"city":"Zürich"}"#, "3|user:3|-|-|-",
            ])
    }

    @Test func aTimeZoneIsNoPropertyOfTheRecipients() throws {
        for text in [
            "key,tag,time_zone\n1,user:1,Asia/Tokyo\n2,user:2,\n",
            "{\"key\": 1, \"tag\": \"user:1\", \"time_zone\": \"Asia/Tokyo\"}\n{\"key\": 2, \"tag\": \"user:2\"}\n",
        ] {
            let path = FileManager.default.temporaryDirectory.appending(path: "recipients-\(UUID().uuidString)").path()
            try Data(text.utf8).write(to: URL(filePath: path))
            defer { unlink(path) }
            let members = try RecipientFile(path, BadLines(BadLineOptions.parse([]))).next(5)
            #expect(members.map(\.timeZone) == ["Asia/Tokyo", nil])
            #expect(members.allSatisfy { $0.properties == nil })
        }
    }

    @Test func jsonLinesTakeKeysAsTextOrNumber() throws {
        let read = try Self.read(
            """
            {"key": 7, "handle": "0123456789abcdef", "properties": {"name": "Ada"}}
            {"key": "b", "tag": "user:b", "locale": null}
            {"key": "c", "tag": "user:c", "properties": {"n": 5, "old": null, "cart": [{}]}}
            """)
        #expect(
            read == [
                #"7|-|0123456789abcdef|-|{"name": "Ada"}"#, "b|user:b|-|-|-",
                #"c|user:c|-|-|{"n": 5, "old": null, "cart": [{}]}"#,
            ])
    }

    @Test(arguments: [
        ("", "it is empty"),
        ("name,tag\n1,2", "line 1: the header has no column key"),
        ("key,name\n1,2", "line 1: the header has neither tag nor handle"),
        ("key,tag,tag\n1,2,3", #"line 1: the header has "tag" twice"#),
        ("key,tag\n1,user:1\n2", "line 3: it has 1 fields, and the header has 2"),
        ("key,tag\n,user:1", "line 2: it has no key"),
        ("key,tag,handle\n1,user:1,abcdefgh", "line 2: it has both tag and handle"),
        ("key,tag\n1,", "line 2: it has neither tag nor handle"),
        ("key,tag\n1,no tag", #"line 2: "no tag" is not a tag"#),
        ("key,tag\n1,a\n2,b\n\n1,c", #"line 5: the key "1" stands in line 2 already"#),
        ("key,handle\n1,abcdefgh\n2,abcdefgh", "line 3: its handle stands in line 2 already"),
        ("key,handle\n1,abc defgh", "line 2: its handle is not valid"),
        ("key,tag\n\(String(repeating: "k", count: 1_001)),a", "line 2: its key has 1001 bytes, 1,000 are allowed"),
        ("key,tag,name\n1,a,x\0y", "line 2: it has the character NUL"),
        (#"{"key": "1", "tag": "a", "properties": {"a": "\u0000"}}"#, "line 1: it has the character NUL"),
        (#"{"key": "1", "tag": "a",}"#, "line 1, column 25: it is not JSON"),
        ("key,tag,locale\n1,a,x_", #"line 2: locale "x_""#),
        ("key,tag,name\n1,a,\"b", "line 2: a quotation mark is not closed"),
        (#"{"key": "1", "tag": "a", "timezone": "UTC"}"#, "line 1: timezone is not known"),
        (#"{"key": "1", "tag": ["a"]}"#, "line 1: tag cannot be"),
        (#"{"key": "1", "tag": "a", "properties": ["a"]}"#, "line 1: properties cannot be"),
    ])
    func aLineThatIsNoRecipientIsNamed(text: String, problem: String) throws {
        let failure = try #require(throws: Failure.self) { try Self.read(text) }
        #expect(failure.text().contains(problem), "\(failure.text())")
    }

    @Test(arguments: ["\n", "\r\n", "\r"], [",", ";"])
    func linesEndAsTheProgramThatWroteThemEndsLines(end: String, separator: String) throws {
        let lines = ["key,tag,name", "1,user:1,Ada", "2,user:2,Bob"].map { $0.replacing(",", with: separator) }
        for text in [lines.joined(separator: end), lines.map { $0 + end }.joined()] {
            #expect(try Self.read(text) == [#"1|user:1|-|-|{"name":"Ada"}"#, #"2|user:2|-|-|{"name":"Bob"}"#])
        }
    }

    @Test func aCommaWithinAFieldIsNoSeparatorWhereSemicolonsAre() throws {
        #expect(
            try Self.read("key;tag;\"name, full\"\n1;a;\"Ada, L.\"\n2;b;Bob, M.\n")
                == [#"1|a|-|-|{"name, full":"Ada, L."}"#, #"2|b|-|-|{"name, full":"Bob, M."}"#])
    }

    @Test func anotherEncodingIsNamedWithHowToConvertIt() throws {
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            let bytes = try #require("\u{FEFF}key,tag\n1,a\n".data(using: encoding))
            let failure = try #require(throws: Failure.self) { try Self.read(bytes) }
            #expect(failure.text().contains("its encoding is UTF-16"), "\(failure.text())")
            #expect(failure.text().contains("iconv -f UTF-16 -t UTF-8"), "\(failure.text())")
        }
        let latin = try #require("key,tag,name\n1,a,Zo\u{EB}\n".data(using: .isoLatin1))
        let failure = try #require(throws: Failure.self) { try Self.read(latin) }
        #expect(failure.text().contains("line 2: it is not UTF-8"), "\(failure.text())")
        #expect(failure.text().contains("iconv -f WINDOWS-1252"), "\(failure.text())")
    }

    private static let bad =
        "key,tag,name\n" + (1...8).map { "\($0),no tag,\n" }.joined() + "9,a,\n9,b,\n10,c,\"x\n11,d,e\n"

    @Test func theFirstBadLinesAreShownAndAllAreCounted() throws {
        let failure = try #require(throws: Failure.self) { try Self.read(Self.bad) }
        #expect(failure.complaints.count == 6)
        #expect(failure.status == .badInput)
        let words = failure.text()
        #expect(words.contains("line 6: ") && !words.contains("line 7: "), "\(words)")
        #expect(words.contains("10 bad lines, of which 5 are shown; nothing was changed"), "\(words)")
        #expect(words.contains("--leave-out-bad") && words.contains("--report FILE"), "\(words)")
    }

    @Test func badLinesAreLeftOutAndReported() throws {
        let report = FileManager.default.temporaryDirectory.appending(path: "bad-\(UUID().uuidString)").path()
        defer { unlink(report) }
        #expect(
            try Self.read(Self.bad, ["--leave-out-bad", "--report", report]) == [
                "9|a|-|-|-", #"11|d|-|-|{"name":"e"}"#,
            ])
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.first == "line,key,reason")
        #expect(lines[1] == #"2,1,"""no tag"" is not a tag""#)
        #expect(lines[9] == #"11,9,"the key ""9"" stands in line 10 already""#)
        #expect(lines[10].hasPrefix("12,,a quotation mark is not closed"))
        // Without leave, all of them are written as well, and nothing is taken.
        #expect(throws: Failure.self) { try Self.read(Self.bad, ["--report", report]) }
        #expect(try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n") == lines)
    }
}
