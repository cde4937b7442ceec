import Testing

@testable import Console

@Suite struct ClockSkewTests {
    @Test(
        arguments: [
            (nil, "not known"), (.nan, "not known"), (0.2, "less than a second"), (1.25, "1.3 s ahead of the hub's"),
            (-90, "90 s behind the hub's"),
        ] as [(Double?, String)]) func itIsSaidInWords(_ seconds: Double?, _ words: String)
    {
        #expect(ClockSkew.words(seconds) == words)
    }
}
