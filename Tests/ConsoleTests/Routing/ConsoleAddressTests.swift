import Pages
import Testing

@testable import Console

@Suite struct ConsoleAddressTests {
    @Test func theFirstPageIsTheBasePath() {
        #expect(ConsoleAddress.text(base: "", [], []) == "/")
        #expect(ConsoleAddress.text(base: "/pushes", [], []) == "/pushes/")
    }

    /// Names with `/` led to other pages (oban_web 2.12.4).
    @Test func aNameLeadsNowhereElse() throws {
        let name = "a/b?c=d%2F&e é"
        let address = ConsoleAddress.text(base: "/pushes", ["hubs", name], [("tag", "x&y=z"), ("none", nil)])
        let target = try #require(RequestTarget(address))
        #expect(Router.segments(of: target, below: "/pushes") == ["hubs", name])
        #expect(FormFields(target.rawQuery.dropFirst())["tag"] == "x&y=z")
        #expect(!target.rawQuery.contains("none"))
    }

    @Test func whatIsNotBelowTheBasePathIsNoPage() throws {
        let target = try #require(RequestTarget("/other/hubs"))
        #expect(Router.segments(of: target, below: "/pushes") == nil)
        #expect(Router.segments(of: target, below: "") == ["other", "hubs"])
    }
}
