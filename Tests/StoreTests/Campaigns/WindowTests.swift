import Postgres
import Store
import TestSupport
import Testing

/// Windows of the day, by the clocks of a zone.
@Suite struct WindowTests {
    private static let day = #"{"from": "08:00", "until": "21:00", "days": "mon-sat"}"#
    private static let night = #"{"from": "22:00", "until": "06:00", "days": "fri"}"#
    private static let early = #"{"from": "02:15", "until": "02:45"}"#

    @Test(arguments: [
        (day, "Europe/Berlin", "2026-11-25T08:00+01", true), (day, "Europe/Berlin", "2026-11-25T07:59:59+01", false),
        (day, "Europe/Berlin", "2026-11-25T20:59:59+01", true), (day, "Europe/Berlin", "2026-11-25T21:00+01", false),
        (day, "Europe/Berlin", "2026-11-29T12:00+01", false),  // a Sunday
        (day, "Asia/Tokyo", "2026-11-25T08:00+01", true), (day, "America/New_York", "2026-11-25T08:00+01", false),
        // The night belongs to the day on which it begins.
        (night, "Europe/Berlin", "2026-11-27T22:00+01", true), (night, "Europe/Berlin", "2026-11-28T05:59+01", true),
        (night, "Europe/Berlin", "2026-11-28T06:00+01", false), (night, "Europe/Berlin", "2026-11-28T22:00+01", false),
        (night, "Europe/Berlin", "2026-11-27T05:00+01", false),
        // The clocks skip 02:00 to 03:00, and later they show it twice.
        (early, "Europe/Berlin", "2026-03-29T03:00+02", false), (early, "Europe/Berlin", "2026-10-25T02:30+02", true),
        (early, "Europe/Berlin", "2026-10-25T02:30+01", true), (early, "Europe/Berlin", "2026-10-25T02:00+01", false),
        (#"{"days": "wed"}"#, "UTC", "2026-11-25T00:00Z", true),
        (#"{"days": "wed"}"#, "UTC", "2026-11-26T00:00Z", false),
        (#"{"from": "22:00"}"#, "UTC", "2026-11-25T23:59:59Z", true),
    ])
    func aWindowIsOpenByTheClocksOfTheZone(window: String, zone: String, at: String, isOpen: Bool) async throws {
        let test = try await StoreFixture.untouched.test
        #expect(
            try await test.texts(
                "SELECT push_internal.is_in_window((\(window))::json, \(zone), (\(at))::timestamptz)::text") == [
                    "\(isOpen)"
                ])
    }

    @Test(arguments: [
        (day, "Europe/Berlin", "2026-11-25T12:00+01", "2026-11-25T11:00:00.000Z"),  // it is open
        (day, "Europe/Berlin", "2026-11-28T21:00+01", "2026-11-30T07:00:00.000Z"),  // over Sunday
        (night, "Europe/Berlin", "2026-11-28T06:00+01", "2026-12-04T21:00:00.000Z"),
        (early, "Europe/Berlin", "2026-03-28T12:00+01", "2026-03-30T00:15:00.000Z"),  // on the 29th it does not come
        (#"{"from": "02:30", "until": "05:00"}"#, "Europe/Berlin", "2026-03-28T12:00+01", "2026-03-29T01:00:00.000Z"),
        (#"{"from": "02:10"}"#, "Australia/Lord_Howe", "2026-10-03T13:45Z", "2026-10-03T15:30:00.000Z"),
        (#"{"from": "08:00", "until": "21:00"}"#, "Pacific/Apia", "2011-12-30T08:00Z", "2011-12-30T18:00:00.000Z"),
    ])
    func itOpensAgain(window: String, zone: String, at: String, opens: String) async throws {
        let test = try await StoreFixture.untouched.test
        #expect(
            try await test.texts(
                "SELECT push.iso(push_internal.window_opens((\(window))::json, \(zone), (\(at))::timestamptz))") == [
                    opens
                ])
    }

    private static func run(_ window: String, _ members: String = "") async throws -> TestDatabase {
        let test = try await LocalSpecTests.make()
        try await test.database.script("INSERT INTO marketing.people SELECT generate_series(1, 100)")
        try await LocalSpecTests.create(#""window": \#(window)\#(members)"#, in: test)
        _ = try await CampaignStore(database: test.database).start("spring", key: "k")
        return test
    }

    /// Days of the week other than that of today, of yesterday and of tomorrow in UTC.
    private static func otherDays(_ test: TestDatabase) async throws -> String {
        try await test.texts(
            "SELECT string_agg(lower(to_char(now() AT TIME ZONE 'UTC' + n * interval '1 day', 'Dy')), ',') FROM generate_series(2, 5) n"
        )[0]
    }

    @Test func aStreamStopsWhenItsWindowEndsAndGoesOnWhenItOpens() async throws {
        let test = try await Self.run(#"{"days": "mon-sun", "zone": "UTC"}"#)
        let runs = Runs(database: test.database)
        let hub = Int32(try await test.number("SELECT id FROM push.hub"))
        let stream = try #require(try await runs.streams(of: [hub]).first)
        #expect(try await runs.expand(stream.id, upTo: 10).rows == 10)
        let shut = try await Self.otherDays(test)
        try await test.database.script(
            "UPDATE push.run SET send_window = json_build_object('days', '\(shut)', 'zone', 'UTC')")
        #expect(try await runs.streams(of: [hub]) == [])
        #expect(try await runs.expand(stream.id, upTo: 10).rows == 0)
        try await runs.lookAfter()
        let progress = try #require(try await CampaignStore(database: test.database).progress("spring", key: "k").first)
        #expect(progress.state == .running && progress.waitsFor == "window" && progress.expanded == 10)
        #expect(progress.waitsUntil?.hasSuffix("T00:00:00.000Z") == true, "\(progress)")
        try await test.database.script("UPDATE push.run SET send_window = NULL")
        #expect(try await runs.expand(stream.id, upTo: 100).rows == 90)
    }

    @Test func whatIsOutsideItsWindowMayBeDropped() async throws {
        let test = try await Self.run(#"{"days": "mon-sun", "zone": "UTC", "outside": "drop"}"#)
        let runs = Runs(database: test.database)
        #expect(try await runs.expand(1, upTo: 10).rows == 10)
        try await runs.lookAfter()
        #expect(try await test.number("SELECT count(*) FROM push.stream WHERE done_at IS NULL") == 1)
        let shut = try await Self.otherDays(test)
        try await test.database.script(
            "UPDATE push.run SET send_window = json_build_object('days', '\(shut)', 'zone', 'UTC', 'outside', 'drop')")
        try await runs.lookAfter()
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', state, expanded, outside_window, total, is_expanded) FROM push.run_progress")
                == ["running 10 90 100 t"])
    }

    @Test func aRateGrowsFromATwentiethToTheFullOne() async throws {
        let test = try await Self.run(#"{"days": "mon-sun", "zone": "UTC"}"#, #", "rate": 1000, "ramp": "10m""#)
        for (passed, rate) in [(0, 50), (300, 525), (600, 1_000), (6_000, 1_000)] {
            try await test.database.script(
                "UPDATE push.run SET started_at = clock_timestamp() - interval '\(passed) s'")
            // A busy machine asks later than that: it grows by 950 in 600 s.
            let late = "0.95 * 1000 / 600 * extract(epoch FROM clock_timestamp() - started_at - interval '\(passed) s')"
            let share = try await test.number("SELECT push_internal.rate_share(r)::bigint FROM push.run r")
            let most = try await test.number("SELECT ceil(\(raw: late))::bigint FROM push.run")
            #expect(
                (Int64(rate) - 2...min(1_000, Int64(rate) + 2 + most)).contains(share), "\(share) after \(passed) s")
        }
    }
}
