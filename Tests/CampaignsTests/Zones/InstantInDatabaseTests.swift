import Postgres
import PushModel
import TestSupport
import Testing

@testable import Campaigns

/// PostgreSQL works out when the streams of a local run begin, and Swift when schedules come: both by the same rule.
@Suite struct InstantInDatabaseTests {
    @Test(arguments: [
        ("2026-03-29 02:30", "Europe/Berlin", "2026-03-29T01:00:00.000Z"),  // skipped
        ("2026-10-25 02:30", "Europe/Berlin", "2026-10-25T00:30:00.000Z"),  // twice
        ("2026-07-01 09:00", "Europe/Berlin", "2026-07-01T07:00:00.000Z"),
        ("2026-10-04 02:15", "Australia/Lord_Howe", "2026-10-03T15:30:00.000Z"),  // half an hour is skipped
        ("2026-04-05 01:45", "Australia/Lord_Howe", "2026-04-04T14:45:00.000Z"),
        ("2011-12-30 12:00", "Pacific/Apia", "2011-12-30T10:00:00.000Z"),  // a day that never was
        ("2026-11-25 09:00", "UTC", "2026-11-25T09:00:00.000Z"),
    ])
    func theClocksShowATimeThen(wall: String, zone: String, instant: String) async throws {
        let test = try await TestDatabase.make()
        #expect(
            try await test.texts("SELECT push.iso(push_internal.instant_of((\(wall))::timestamp, \(zone)))") == [
                instant
            ])
    }

    /// Around every change of the clocks of every zone in these years, to the minute before and after.
    @Test(arguments: [2011, 2018, 2026]) func swiftSaysTheSameForAllZones(year: Int) async throws {
        let test = try await TestDatabase.make()
        let zones = TimeZones()
        let known = Set(try await test.texts("SELECT name FROM pg_timezone_names"))
        let start = CivilDate(year: year, month: 1, day: 1).daysSince1970 * 86_400
        let end = start + 366 * 86_400
        var names: [String] = []
        var walls: [Int64] = []
        var wanted: [Int64] = []
        for name in zones.names() where known.contains(name) {
            let zone = try zones.named(name)
            var times = [start + 9 * 3_600]
            var at = start
            while case let period = zone.period(at: at), period.end < end {
                let next = zone.period(at: period.end)
                let (one, other) = (min(period.wallEnd, next.wallStart), max(period.wallEnd, next.wallStart))
                times += [one - 60, one, (one + other) / 2, other - 1, other, other + 60]
                at = period.end
            }
            for wall in times {
                names.append(name)
                walls.append(Int64(wall))
                wanted.append(Int64(zone.moment(ofWall: wall).instant))
            }
        }
        #expect(names.count > 500)
        let wrong = try await test.texts(
            """
            SELECT format('%s %s: %s, not %s', u.zone, w.wall, push.iso(f.at), push.iso(to_timestamp(u.wanted)))
              FROM unnest(\(names), \(walls), \(wanted)) u(zone, wall, wanted),
                   LATERAL (SELECT timestamp '1970-01-01' + make_interval(secs => u.wall) AS wall) w,
                   LATERAL (SELECT push_internal.instant_of(w.wall, u.zone) AS at) f
             WHERE f.at <> to_timestamp(u.wanted)
            """)
        #expect(wrong == [])
    }
}
