import Testing

@testable import Providers

@Suite struct HTTPDateTests {
    /// RFC 9110 section 5.6.7 gives the first three; the others by `date -u +%s`.
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("thu, 1 jan 2026 00:00:30 gmt", 1_767_225_630),
        ("Thursday, 01-Jan-26 00:00:30 GMT", 1_767_225_630), ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
    ])
    func everyFormOfADateIsRead(text: String, seconds: Double) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    /// RFC 9110 section 5.6.7: a year of two digits that seems more than 50 years ahead is the latest that has passed.
    @Test(arguments: [
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777.0), ("Thursday, 01-Jan-26 00:00:30 GMT", 1_767_225_630),
        ("Friday, 01-Jan-77 00:00:00 GMT", 220_924_800), ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
    ])
    func aYearOfTwoDigitsFarAheadHasPassed(text: String, seconds: Double) {
        #expect(HTTPDate.seconds(text, now: 1_790_000_000) == seconds)  // in September 2026
        let wait = RetryAfter(milliseconds: [], plain: text, date: nil, receivedAt: 1_790_000_000).seconds
        #expect((wait == 0) == (seconds < 1_790_000_000))
    }

    @Test(arguments: [
        "", " ", "soon", "7", "2026-01-01T00:00:00Z", "Thu, 01 Jan 2026 00:00:30 +0200",
        "Thu, 32 Jan 2026 00:00:30 GMT", "Thu, 01 Foo 2026 00:00:30 GMT", "Thu, 01 Jan 2026 24:00:00 GMT",
        "Thu, 01 Jan 2026 00:00 GMT", "Thu, 01 Jan 1969 00:00:00 GMT", "Thu, 01 Jan 99999 00:00:00 GMT",
        "Thu, 01 Jan 2026 00:00:30",
    ])
    func anotherTextIsNotADate(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
