import PushModel
import Testing

@Suite struct PastAgeTests {
    @Test(arguments: [("90s", 90), ("5m", 300), ("2h", 7_200), ("7d", 604_800), ("2w", 1_209_600), ("0d", 0)])
    func anAgeHasOneNumberAndOneUnit(_ text: String, _ seconds: Double) throws {
        let age = try #require(PastAge(text))
        #expect(age.text == text && age.seconds == seconds)
    }

    @Test(arguments: ["", "h", "2", "2 h", "-2h", "1h30m", "2H", "2.5h", "1234567s", "٢h", "2h\n", "2027-01-01"])
    func nothingElseIsOne(_ text: String) { #expect(PastAge(text) == nil) }
}
