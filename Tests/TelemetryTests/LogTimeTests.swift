import Foundation
import Testing

@testable import Telemetry

@Suite struct LogTimeTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00.000Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_795_279_020_250, "2026-11-21T16:37:00.250Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ])
    func anInstantIsWrittenInUTC(milliseconds: Int64, text: String) {
        #expect(shown(milliseconds) == text)
    }

    /// Steps of a little more than five days from 1900 to 2200 cover every month, leap day rule and most hours.
    @Test func everyDayAgreesWithFoundation() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for milliseconds in stride(
            from: Int64(-2_208_988_800_000), to: 7_258_118_400_000, by: 86_400_000 * 5 + 3_723_004)
        {
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1000))
            let seconds = shown(milliseconds / 1000 * 1000)
            #expect(seconds == date.formatted(style))
        }
    }

    @Test func nowIsTheWallClock() {
        let before = Int64(Date().timeIntervalSince1970 * 1000) - 1
        let now = LogTime.now().milliseconds
        let after = Int64(Date().timeIntervalSince1970 * 1000) + 1
        #expect((before...after).contains(now))
    }

    private func shown(_ milliseconds: Int64) -> String {
        var line: [UInt8] = []
        LogTime(milliseconds: milliseconds).append(to: &line)
        return String(decoding: line, as: UTF8.self)
    }
}
