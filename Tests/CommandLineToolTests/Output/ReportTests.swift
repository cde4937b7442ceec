import Testing

@testable import CommandLineTool

@Suite struct ReportTests {
    private static func list(_ numbers: [Int], footer: String? = nil) -> Report {
        Report(numbers, [.number("N"), .prose("WORDS")], none: "none", footer: footer) {
            ["\($0)", "one two three"]
        } json: {
            .object(["n": .number($0)])
        }
    }

    @Test func aListIsATableForPeopleAndAListAsJSON() {
        let report = Self.list([7, 12])
        #expect(report.text() == " N  WORDS\n 7  one two three\n12  one two three")
        #expect(report.json.line == #"[{"n": 7}, {"n": 12}]"#)
        #expect(report.status == .ok && report.failure == nil)
    }

    @Test func anEmptyListSaysSo() {
        #expect(Self.list([]).text() == "none")
        #expect(Self.list([]).json.line == "[]")
    }

    @Test func aFooterIsTheLastLineAndARemarkBesideJSON() {
        let report = Self.list([7], footer: "the newest 1")
        #expect(report.text() == "N  WORDS\n7  one two three\nthe newest 1")
        #expect(report.remarks.json == "the newest 1" && report.remarks.text == nil)
    }

    @Test func aTextFitsItsScreen() {
        let report = Report(fitting: { "\($0 ?? 0)" }, .null)
        #expect(report.text(fitting: 40) == "40")
        #expect(report.text() == "0")
    }

    @Test func aFormThatNobodyAskedForIsNotMade() {
        var made: [String] = []
        func text() -> String {
            made.append("text")
            return ""
        }
        let report = Report(text(), ["a": .null])
        #expect(report.json.line == #"{"a": null}"#)
        #expect(made.isEmpty)
    }

    @Test func aFailureIsSaidOnceUnlessJSONSaysNothingOfIt() {
        let failure = Failure("cannot", because: "no", status: .unavailable)
        let report = Report("done", .null).failing(with: failure)
        #expect(report.failure?.status == .unavailable && !report.failsAloud)
        #expect(Report("", .null).failing(with: failure, always: true).failsAloud)
    }
}
