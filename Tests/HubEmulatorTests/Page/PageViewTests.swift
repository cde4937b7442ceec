import Testing

@testable import HubEmulator

@Suite struct PageViewTests {
    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "-1,000")])
    func numbersAreGrouped(number: Int, text: String) { #expect(number.grouped == text) }
}
