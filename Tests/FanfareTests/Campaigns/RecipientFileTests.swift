import CommandLineTool
import Foundation
import Store
import Testing

@testable import fanfare

/// What is a file of recipients, and which line is not.
@Suite struct RecipientFileTests {
    /// All recipients of a file, or its first fault.
    private static func read(_ text: String) throws -> [String] {
        let path = FileManager.default.temporaryDirectory.appending(path: "recipients-\(UUID().uuidString)").path()
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        let file = try RecipientFile(path)
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
            let members = try RecipientFile(path).next(5)
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
}
