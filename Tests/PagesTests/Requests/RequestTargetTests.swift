import Pages
import Signing
import Testing

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("/", [], ""), ("//", [], ""), ("/a/b", ["a", "b"], ""), ("/a//b/", ["a", "b"], ""),
        ("/a?b=%2F", ["a"], "?b=%2F"), ("/a?", ["a"], "?"), ("/?a?b", [], "?a?b"),
        ("/a%2Fb/c", ["a/b", "c"], ""), ("/%3Fx?y", ["?x"], "?y"), ("/100%25", ["100%"], ""), ("/%2561", ["%61"], ""),
        ("/a+b", ["a+b"], ""), ("/%C3%A9%F0%9F%9A%80", ["é🚀"], ""),
    ])
    func aTargetIsSplitBeforeItIsDecoded(target: String, segments: [String], query: String) throws {
        let split = try #require(RequestTarget(target))
        #expect(split.segments == segments && split.rawQuery == query)
        #expect(split.path + split.rawQuery == target)
    }

    /// As keys of runs and names of campaigns may be.
    @Test(arguments: ["2026/11", "what?", "100%", "%2F", "a b", "..", "é\u{301}", "a/\u{301}b", "?\u{301}", "#", "\n"])
    func anyNameIsOneSegment(name: String) throws {
        let target = try #require(RequestTarget("/runs/\(PercentEncoding.encode(name))?live=10"))
        #expect(target.segments == ["runs", name] && target.rawQuery == "?live=10")
    }

    @Test(arguments: ["", "*", "a/b", "http://h/a", "host:443", "/%", "/%2", "/%zz", "/%FF", "/a/%C3"])
    func whatIsNoPathHasNoSegments(target: String) { #expect(RequestTarget(target) == nil) }

    /// A query is read by the route that knows its rules.
    @Test func aQueryMayBeWrongWhereThePathIsNot() throws {
        #expect(try #require(RequestTarget("/a?b=%zz")).rawQuery == "?b=%zz")
    }
}
