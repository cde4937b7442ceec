import CommandLineTool
import Foundation
import Store
import Testing

@testable import fanfare

/// What is a file of suppressions, and which line is not.
@Suite struct SuppressionFileTests {
    /// All of a file, or its first fault.
    private static func read(_ text: String) throws -> [Audiences.Suppression] {
        let path = FileManager.default.temporaryDirectory.appending(path: "suppressed-\(UUID().uuidString)").path()
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { unlink(path) }
        let file = try SuppressionFile(path, BadLines(BadLineOptions.parse([])), now: 1_800_000_000)
        var all: [Audiences.Suppression] = []
        while true {
            let some = try file.next(2)
            if some.isEmpty { return all }
            all += some
        }
    }

    private static let all: [Audiences.Suppression] = [
        .init(what: "key", value: "42", reason: "unsubscribed"),
        .init(what: "tag", value: "user:1", until: "2027-06-01T00:00Z"),
        .init(what: "handle", value: "a,\"b\"", reason: "said \"no\", twice", until: "2027-06-01T09:00:00.000Z"),
        // A mark that is one character with its neighbour is a mark of CSV all the same.
        .init(what: "key", value: "\u{600},x", reason: "\"\u{301}"),
        .init(what: "key", value: "\u{600}\"", reason: ",\u{301}"),
    ]

    @Test func whatIsExportedIsWhatIsImported() throws {
        let csv = (["what,value,reason,until"] + Self.all.map(ExportSuppressions.csv)).joined(separator: "\n")
        #expect(try Self.read(csv) == Self.all)
        #expect(try Self.read(Self.all.map(ExportSuppressions.json).joined(separator: "\n")) == Self.all)
    }

    /// A line break is quoted in the results of a run, whichever it is.
    @Test(arguments: ["\n", "\r", "\r\n", ",", "\"", "\u{600},", ",\u{301}"]) func whatWouldEndAFieldIsQuoted(
        mark: String
    ) {
        let doubled = mark == "\"" ? "\"\"" : mark
        #expect(Array(CSV.line(["a\(mark)", "b"]).utf8) == Array("\"a\(doubled)\",b".utf8))
    }

    @Test func columnsStandInAnyOrderAndMayBeMissing() throws {
        #expect(try Self.read("value,what\r\n42,key\r\n") == [.init(what: "key", value: "42")])
        #expect(try Self.read(#"{"value": 42, "what": "key", "reason": null}"#) == [.init(what: "key", value: "42")])
    }

    @Test(arguments: [
        ("", "it is empty"),
        ("value\n1", "line 1: the header has no column what"),
        ("what,value,why\nkey,1,x", #"line 1: "why" is not known"#),
        ("what,value,value\nkey,1,2", #"line 1: the header has "value" twice"#),
        ("what,value\nkey,1\nkey", "line 3: it has 1 fields"),
        ("what,value\nuser,1", #"line 2: what is "user""#),
        ("what,value\n,1", "line 2: it does not say what"),
        ("what,value\nkey,", "line 2: it has no value"),
        ("what,value,until\nkey,1,soon", #"line 2: until is "soon""#),
        ("what,value,until\nkey,1,2027-01-15", "line 2: until is 2027-01-15, and that is past"),
        ("what;value\ntag;user 43", #"line 2: "user 43" is not one tag"#),
        ("what,value\ntag,World && x", #"line 2: "World && x" is not one tag"#),
        ("what,value\nhandle,a b", "line 2: its value is not a handle"),
        ("what,value\nkey,\(String(repeating: "k", count: 2_601))", "line 2: its value has 2601 bytes"),
        (#"{"what": "key", "value": "1", "from": "x"}"#, #"line 1: "from" is not known"#),
        (#"{"what": "key", "value": ["1"]}"#, "line 1: value cannot be a list"),
        ("{\"what\": \"key\", \"value\": \"1\"}\n{", "line 2, column 2: it is not JSON: "),
    ])
    func aLineThatCannotBeOneIsNamed(text: String, fault: String) {
        let failure = #expect(throws: Failure.self) { try Self.read(text) }
        #expect(failure?.text().contains(fault) == true, "\(failure?.text() ?? "")")
    }

    @Test(arguments: [
        ("2027-06-01", "2027-06-01T00:00Z"), ("2028-02-29", "2028-02-29T00:00Z"),
        ("2027-06-01T09:00Z", "2027-06-01T09:00Z"), ("2027-06-01 23:59:59.5+02:00", "2027-06-01 23:59:59.5+02:00"),
        ("2027-02-29", nil), ("2027-13-01", nil), ("2027-06-31", nil), ("2027-06-01T09:00", nil),
        ("2027-06-01T24:00Z", nil), ("2027-06-01T09:60Z", nil), ("01.06.2027", nil), ("0000-01-01", nil),
    ])
    func anEndIsADayOrATimeWithItsOffset(given: String, text: String?) {
        #expect(SuppressionTime(given)?.text == text)
    }

    @Test(arguments: [
        ("1970-01-01", 0.0), ("2028-02-29", 1_835_395_200), ("2027-06-01T09:00:30Z", 1_811_840_430),
        ("2027-06-01T09:00:30+02:00", 1_811_833_230), ("2027-06-01 09:00:30-0330", 1_811_853_030),
    ])
    func anEndIsComparedWithTheClock(given: String, seconds: Double) {
        #expect(SuppressionTime(given)?.seconds == seconds)
    }

    @Test(arguments: ["a,\"b\"", "$UserId:{ada}", "World"])
    func oneTagOfAnyKindCanBeSuppressed(value: String) {
        #expect((SuppressedKind.tag.fault(of: value) == nil) == (value != "a,\"b\""))
        #expect(SuppressedKind.key.fault(of: value) == nil)
    }
}
