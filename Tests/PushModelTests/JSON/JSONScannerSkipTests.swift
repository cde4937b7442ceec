import Testing

@testable import PushModel

@Suite struct JSONScannerSkipTests {
    private func skipped(_ text: String, depthLimit: Int = 64) -> Result<Int, JSONError> {
        Result { () throws(JSONError) in
            var scanner = JSONScanner(Array(text.utf8), depthLimit: depthLimit)
            try scanner.skip()
            try scanner.expectEnd(of: "text")
            return scanner.at
        }
    }

    private func read(_ text: String, depthLimit: Int = 64) -> Result<Int, JSONError> {
        Result { () throws(JSONError) in
            var scanner = JSONScanner(Array(text.utf8), depthLimit: depthLimit)
            _ = try scanner.node()
            try scanner.expectEnd(of: "text")
            return scanner.at
        }
    }

    private static let texts = [
        #" {"a" : [1, -2.5e+3, true, false, null, "é\u00e9\ud83d\ude00\n"], "b": {"c": {}, "d": []}} "#, "7", "\"x\"",
        "[]",
        "{}", "[[[[]]]]", "null", "", " ", "{", "[", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
        "[1 2]",
        "{\"a\":1 \"b\":2}", "tru", "nul", "01", "-", "1.", "1e", "+1", "\"", "\"\\", "\"\\x\"", "\"\\u12\"",
        "\"\\ud800\"",
        "\"\u{1}\"", "[}", "{]", "[1]]", "{} {}", "\\",
    ]

    /// A part that is passed over is as good as one that is read.
    @Test(arguments: texts) func skipTakesWhatNodeTakes(text: String) {
        for end in 0...text.unicodeScalars.count {
            let part = String(String.UnicodeScalarView(text.unicodeScalars.prefix(end)))
            // The path of an error is not kept: nobody asks what was passed over.
            switch (skipped(part), read(part)) {
            case (.success(let one), .success(let other)): #expect(one == other)
            case (.failure(let one), .failure(let other)):
                #expect(one.position == other.position && one.rule == other.rule, "\(part)")
            default: #expect(Bool(false), "\(part)")
            }
        }
    }

    @Test func whatIsNestedTooDeepIsRefused() {
        let nested = String(repeating: "[", count: 4) + String(repeating: "]", count: 4)
        #expect((try? skipped(nested, depthLimit: 4).get()) == 8)
        #expect((try? skipped(nested, depthLimit: 3).get()) == nil)
        #expect((try? skipped(String(repeating: "{\"a\":", count: 100_000)).get()) == nil)
    }
}
