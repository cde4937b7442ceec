import Testing

@testable import Postgres

@Suite struct TimestampTests {
    @Test func aMicrosecondSurvivesAConversionToSeconds() {
        for microseconds in [0, 1, -1, 836_784_000_123_457, -946_684_800_000_000] as [Int64] {
            let time = Timestamp(microseconds: microseconds)
            #expect(Timestamp(secondsSince1970: time.secondsSince1970) == time)
        }
        #expect(Timestamp(secondsSince1970: 946_684_800).microseconds == 0)
    }

    @Test func aTimeBeyondTheTypeIsInfinite() {
        #expect(Timestamp(secondsSince1970: 1e300) == .infinity)
        #expect(Timestamp(secondsSince1970: -1e300) == .negativeInfinity)
        #expect(Timestamp(secondsSince1970: .infinity).secondsSince1970 == .infinity)
        #expect(Timestamp(secondsSince1970: -.infinity).secondsSince1970 == -.infinity)
        #expect(Timestamp(secondsSince1970: .nan) == .infinity)
    }

    @Test func everyTimeIsBetweenTheInfinities() {
        let now = Timestamp(secondsSince1970: 1_800_000_000)
        #expect(Timestamp.negativeInfinity < now && now < .infinity)
    }
}
