import Testing

@testable import Files

@Suite struct PathPatternTests {
    @Test func everyPathThatFitsIsNamedInOrder() throws {
        let scratch = try ScratchDirectory()
        for name in ["b1", "a1", "a22"] { _ = try scratch.write([], to: name) }
        #expect(PathPattern.matches(of: scratch.path + "/?1") == [scratch.path + "/a1", scratch.path + "/b1"])
        #expect(PathPattern.matches(of: scratch.path + "/none*") == [])
    }
}
