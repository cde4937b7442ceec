import PushModel
import Testing

@Suite struct HumanFormatTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_767_323_045.9, "2026-01-02T03:04:05Z"), (-0.5, "1969-12-31T23:59:59Z"),
        (-86_400, "1969-12-31T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (.infinity, "9999-12-31T23:59:59Z"), (-.infinity, "0001-01-01T00:00:00Z"), (.nan, "1970-01-01T00:00:00Z"),
    ])
    func aTimeIsInUTCToTheSecond(seconds: Double, text: String) {
        #expect(HumanFormat.time(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        (0, "1970-01-01T00:00:00Z"), (1_767_323_045.25, "2026-01-02T03:04:05.250Z"), (-0.5, "1969-12-31T23:59:59.500Z"),
        (0.9999, "1970-01-01T00:00:01Z"), (.infinity, "9999-12-31T23:59:59Z"), (.nan, "1970-01-01T00:00:00Z"),
    ])
    func anExactTimeHasMilliseconds(seconds: Double, text: String) {
        #expect(HumanFormat.exactTime(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_000, "1,000"), (-999, "-999"), (-1_000, "-1,000"), (-123_456, "-123,456"),
        (.max, "9,223,372,036,854,775,807"), (.min, "-9,223,372,036,854,775,808"),
    ])
    func thousandsAreGrouped(number: Int, text: String) { #expect(HumanFormat.grouped(number) == text) }

    @Test(arguments: [
        (-1, "0 s"), (59.9, "59 s"), (60, "1 min"), (7_500, "2 h 5 min"), (266_400, "3 d 2 h"), (.nan, "0 s"),
    ])
    func aDurationHasItsTwoLargestUnits(seconds: Double, text: String) {
        #expect(HumanFormat.duration(seconds) == text)
    }

    @Test func thingsAreCounted() {
        #expect([0, 1, 2].map { HumanFormat.count($0, "message") } == ["0 messages", "1 message", "2 messages"])
        #expect(HumanFormat.atLeast(10_000, "message") == "10,000+ messages")
        #expect(HumanFormat.toSeconds("2026-01-02T03:04:05.123456Z") == "2026-01-02T03:04:05Z")
    }
}
