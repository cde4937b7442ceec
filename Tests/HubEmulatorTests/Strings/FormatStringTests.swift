import Testing

@testable import HubEmulator

/// Texts with places for arguments.
@Suite struct FormatStringTests {
    @Test(arguments: [
        ("Bienvenue, %1$s !", ["Alice"], "Bienvenue, Alice !"), ("%@ et %@", ["a", "b"], "a et b"),
        ("%2$s %1$s", ["a", "b"], "b a"), ("%2$@ %@ %@", ["a", "b"], "b a b"), ("%d %% %ld", ["3", "4"], "3 % 4"),
        ("%1$d of %2$ld", ["3", "4"], "3 of 4"), ("plain", ["a"], "plain"), ("%s", [], "%s"),
        ("%3$s|%s", ["a"], "%3$s|a"),
        ("", [], ""), ("100%%", [], "100%"), ("日本%@😀", ["語"], "日本語😀"),
    ])
    func argumentsFillTheirPlaces(format: String, arguments: [String], text: String) throws {
        #expect(try FormatString(format).text(with: arguments) == text)
    }

    /// An argument is put in once: what it contains is no place.
    @Test func anArgumentIsNotReadAgain() throws {
        #expect(try FormatString("%s %s").text(with: ["%s", "%1$s"]) == "%s %1$s")
    }

    @Test(arguments: [("a %q", 3), ("%", 1), ("%5d", 1), ("%0$s", 1), ("%100$s", 1), ("ab%", 3), ("%l", 1), ("% d", 1)])
    func anUnknownPlaceIsRefused(format: String, position: Int) throws {
        let fault = try #require(throws: FormatString.Fault.self) { try FormatString(format) }
        #expect(fault.position == position)
    }

    @Test(arguments: [("x", 0), ("%s %s", 2), ("%3$s", 3), ("%%", 0)])
    func theArgumentsItNeedsAreCounted(format: String, count: Int) throws {
        #expect(try FormatString(format).argumentCount == count)
    }
}
