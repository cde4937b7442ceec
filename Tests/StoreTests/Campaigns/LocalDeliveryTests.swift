import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Runs in everybody's own zone: which streams they have, and when each begins.
@Suite struct LocalDeliveryTests {
    /// Keys 1 to 70: seven zones in turn, the first two of which are none.
    private static let zones = """
        INSERT INTO marketing.people
        SELECT n, (ARRAY[NULL, 'Berlin', 'Pacific/Kiritimati', 'Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Pacific/Pago_Pago'])[n % 7 + 1]
          FROM generate_series(1, 70) n
        """

    private static func make(_ members: String, key: String = "2030-01-07T19:00:00Z") async throws -> TestDatabase {
        let test = try await LocalSpecTests.make()
        try await test.database.script(zones)
        try await LocalSpecTests.create(members, in: test)
        _ = try await CampaignStore(database: test.database).start("spring", key: key)
        return test
    }

    private static func streams(_ test: TestDatabase) async throws -> [String] {
        try await test.texts(
            """
            SELECT concat_ws(' ', push.iso(release_at), zone, CASE WHEN NOT zone_known THEN coalesce(part, 'null') END)
              FROM push.stream ORDER BY release_at, id
            """)
    }

    private static func expandAll(_ test: TestDatabase) async throws {
        let runs = Runs(database: test.database)
        for id in try await test.texts("SELECT id::text FROM push.stream WHERE done_at IS NULL ORDER BY id") {
            while try await !runs.expand(Int64(id)!, upTo: 7).isExpanded {}
        }
    }

    private static let schedule = #""schedule": {"cron": "0 9 * * *", "zone": "Europe/Berlin", "local": true}"#

    @Test func aLocalScheduleReachesEachZoneWhenItsClocksShowTheTime() async throws {
        let test = try await Self.make(Self.schedule)
        #expect(
            try await Self.streams(test) == [
                "2030-01-07T19:00:00.000Z Pacific/Kiritimati", "2030-01-08T00:00:00.000Z Asia/Tokyo",
                "2030-01-08T08:00:00.000Z Europe/Berlin Berlin", "2030-01-08T08:00:00.000Z Europe/Berlin",
                "2030-01-08T08:00:00.000Z Europe/Berlin null", "2030-01-08T14:00:00.000Z America/New_York",
                "2030-01-08T20:00:00.000Z Pacific/Pago_Pago",
            ])
        let hub = Int32(try await test.number("SELECT id FROM push.hub"))
        #expect(try await Runs(database: test.database).streams(of: [hub]) == [])
        // The worker works it out where a day begins first.
        let due = try await Schedules(database: test.database).look(atMost: 10, except: []).due
        #expect(due.map(\.text.zone) == ["Pacific/Kiritimati"])
        // Who is in charge of the run sees for what it waits.
        let progress = try #require(try await CampaignStore(database: test.database).progress("spring", key: nil).first)
        #expect(progress.waitsFor == "zone" && progress.waitsUntil == "2030-01-07T19:00:00.000Z", "\(progress)")
    }

    @Test func theDayOfTheChangeInBerlinIsSentOnceAndAtTheRuleOfTheClocks() async throws {
        let local =
            #""local": {"zones": ["Europe/Berlin"]}, "schedule": {"cron": "30 2 * * *", "zone": "Europe/Berlin", "local": true}"#
        // 02:30 of 31 March 2030 where the day begins first; in Berlin the clocks skip it.
        let test = try await Self.make(local, key: "2030-03-30T12:30:00Z")
        #expect(Set(try await Self.streams(test).map { $0.prefix(20) }) == ["2030-03-31T01:00:00."])
        // 27 October 2030: in Berlin it comes twice.
        _ = try await CampaignStore(database: test.database).start("spring", key: "2030-10-26T12:30:00Z")
        #expect(
            try await test.texts("SELECT DISTINCT push.iso(release_at) FROM push.stream WHERE run = 2")
                == ["2030-10-27T00:30:00.000Z"])
    }

    @Test func everyRecipientIsInOneStreamAndThoseWithoutAZoneAreCounted() async throws {
        let test = try await Self.make(Self.schedule)
        try await test.database.script("UPDATE push.stream SET release_at = now()")
        try await Self.expandAll(test)
        #expect(try await test.number("SELECT count(DISTINCT tag) FROM push.message") == 70)
        #expect(try await test.number("SELECT count(*) FROM push.message") == 70)
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', expanded, total, unknown_zone, waits_until) FROM push.run_progress")
                == ["70 70 20"])
        #expect(try await test.number("SELECT count(*) FROM push.run_hubs") == 1)
    }

    @Test func aListHasZonesToo() async throws {
        let test = try await LocalSpecTests.make()
        let audiences = Audiences(database: test.database)
        var batches = [
            [
                Audiences.Member(key: "1", tag: "user:1", timeZone: "Asia/Tokyo"),
                Audiences.Member(key: "2", tag: "user:2", timeZone: "Europe/Berlin"),
                Audiences.Member(key: "3", tag: "user:3"),
                Audiences.Member(key: "4", tag: "user:4", timeZone: "Asia/Tokyo"),
            ]
        ]
        _ = try await audiences.load("beta", .new) { batches.popLast() ?? [] }
        try await LocalSpecTests.create(
            #""local": {"time": "09:00", "default": "UTC", "zones": ["Asia/Tokyo"]}"#, audience: #"{"list": "beta"}"#,
            in: test)
        _ = try await CampaignStore(database: test.database).start("spring", key: "k")
        try await test.database.script("UPDATE push.stream SET release_at = now()")
        try await Self.expandAll(test)
        // Berlin is not a zone of the run, so it waits for the default as those without one do.
        #expect(
            try await test.texts(
                "SELECT concat_ws(' ', zone, part, zone_known, expanded) FROM push.stream ORDER BY part")
                == ["Asia/Tokyo Asia/Tokyo t 2", "UTC Europe/Berlin f 1", "UTC f 1"])
    }

    @Test(arguments: [("now", "0 7 7"), ("skip", "60 1 7")])
    func whatIsPastAtTheStartIsSentAtOnceOrLeftOut(passed: String, wanted: String) async throws {
        // A key of yesterday: only the last zone is still to come.
        let test = try await LocalSpecTests.make()
        try await test.database.script(Self.zones)
        try await LocalSpecTests.create(
            #"\#(Self.schedule), "local": {"passed": "\#(passed)"}"#, in: test)
        let key = try await test.texts(
            "SELECT to_char(now() AT TIME ZONE 'UTC' - interval '24 h 30 min', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')")[0]
        _ = try await CampaignStore(database: test.database).start("spring", key: key)
        try await Runs(database: test.database).leaveOut()
        #expect(
            try await test.texts(
                """
                SELECT concat_ws(' ', (SELECT passed FROM push.run_progress), count(*) FILTER (WHERE done_at IS NULL), count(*))
                  FROM push.stream
                """) == [wanted])
        #expect(try await test.number("SELECT count(*) FROM push.stream WHERE release_at > now()") == 1)
        if passed == "now" {
            // expires counts from when they can begin, not from an hour that is past.
            #expect(
                try await test.number("SELECT count(*) FROM push.stream WHERE release_at < now() - interval '1 min'")
                    == 0)
        }
    }

    @Test func aStartByHandTakesTheDateOfTheDefaultZone() async throws {
        let test = try await Self.make(
            #""local": {"time": "09:00", "default": "Pacific/Kiritimati"}"#, key: "any key")
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM push.stream t JOIN push.run r ON r.id = t.run,
                       LATERAL push_internal.instant_of((r.started_at AT TIME ZONE 'Pacific/Kiritimati')::date + time '09:00', t.zone) at
                 WHERE t.release_at = greatest(at, (SELECT min(release_at) FROM push.stream))
                """) == 7)
        // Without a time of its own the key says it.
        try await LocalSpecTests.create(Self.schedule, in: test)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await CampaignStore(database: test.database).start("spring", key: "another")
        }
        #expect(error?.message.contains("is not a time") == true)
        #expect(try await test.number("SELECT count(*) FROM push.run") == 1)
    }

    @Test func theRateIsThatOfTheRunWhateverNumberOfZonesIsReleased() async throws {
        let test = try await Self.make(#"\#(Self.schedule), "rate": 70"#)
        let share: SQL = "SELECT round(push_internal.rate_share(r))::text FROM push.run r"
        #expect(try await test.texts(share) == ["70"])
        try await test.database.script("UPDATE push.stream SET release_at = now() WHERE zone LIKE 'Pacific/%'")
        #expect(try await test.texts(share) == ["35"])
        try await test.database.script("UPDATE push.stream SET done_at = now() WHERE zone = 'Pacific/Kiritimati'")
        #expect(try await test.texts(share) == ["70"])
        try await test.database.script(
            "UPDATE push.stream SET release_at = now(), done_at = NULL; UPDATE push.run SET rate = NULL")
        #expect(
            try await test.texts("SELECT coalesce(push_internal.rate_share(r)::text, 'none') FROM push.run r") == [
                "none"
            ])
    }

    /// What other zones made ahead, when there were fewer of them, already is the whole rate.
    @Test func aZoneThatBeginsSendsOneMessageAndWaitsForWhatOthersMadeAhead() async throws {
        let test = try await Self.make(#"\#(Self.schedule), "rate": 4"#)
        let stream = { (zone: String) in try await test.number("SELECT id FROM push.stream WHERE zone = \(zone)") }
        let runs = Runs(database: test.database)
        let (first, second) = (try await stream("Pacific/Kiritimati"), try await stream("Asia/Tokyo"))
        try await test.database.script(
            "UPDATE push.stream SET release_at = now() - interval '1 min' WHERE id = \(first)")
        #expect(try await runs.expand(first, upTo: 100).rows == 8)
        try await test.database.script(
            """
            UPDATE push.slice SET due_to = now() + interval '4 s';
            UPDATE push.stream SET release_at = now() WHERE id = \(second);
            """)
        #expect(try await runs.expand(second, upTo: 100).rows == 1)
        #expect(try await test.texts("SELECT count(DISTINCT due_to)::text FROM push.slice") == ["1"])
        #expect(try await test.number("SELECT count(*) FROM push.message WHERE send_at <= now()") >= 1)
        #expect(try await runs.expand(second, upTo: 100).rows == 0)
        // Those that begin at the same moment share the rate from their first message on.
        try await test.database.script(
            """
            UPDATE push.slice SET due_to = now();
            UPDATE push.stream SET release_at = now() - interval '1 s' WHERE slices = 0;
            UPDATE push.run SET rate = 70;
            """)
        let others = try await test.texts("SELECT id::text FROM push.stream WHERE slices = 0 ORDER BY id")
        for id in others { #expect(try await runs.expand(Int64(id)!, upTo: 100).rows == 10) }
        await test.database.close()
    }

    @Test func devicesWithATagOfTheirZoneAreReachedByAnExpression() async throws {
        let test = try await LocalSpecTests.make(zoneTag: "tz:{zone}")
        try await LocalSpecTests.create(
            #""local": {"time": "09:00", "default": "UTC", "zones": ["Europe/Paris", "America/Argentina/Buenos_Aires"]}"#,
            audience: #"{"tags": ["World", "Science"]}"#, in: test)
        #expect(
            try await test.texts("SELECT finding FROM push.check_campaign('spring')").contains {
                $0.contains("the tag of none of these zones are not reached")
            })
        _ = try await CampaignStore(database: test.database).start("spring", key: "k")
        #expect(try await test.number("SELECT estimate FROM push.run") == 4)
        try await test.database.script("UPDATE push.stream SET release_at = now()")
        try await Self.expandAll(test)
        #expect(
            try await test.texts("SELECT tag FROM push.message ORDER BY tag COLLATE \"C\"") == [
                "(Science) && tz:America_Argentina_Buenos_Aires", "(Science) && tz:Europe_Paris",
                "(World) && tz:America_Argentina_Buenos_Aires", "(World) && tz:Europe_Paris",
            ])
        #expect(
            try await test.texts("SELECT concat_ws(' ', expanded, total, unknown_zone) FROM push.run_progress") == [
                "4 4 0"
            ])
    }

    @Test func moreThan400ZonesAreRefusedWithWords() async throws {
        let test = try await LocalSpecTests.make()
        try await test.database.script(
            "INSERT INTO marketing.people SELECT n, 'Zone/' || n FROM generate_series(1, 401) n")
        try await LocalSpecTests.create(Self.schedule, in: test)
        let error = await #expect(throws: DatabaseError.self) {
            _ = try await CampaignStore(database: test.database).start("spring", key: "2030-01-07T19:00:00Z")
        }
        #expect(error?.message.contains("more than 400 different time_zone") == true, "\(error.map { "\($0)" } ?? "")")
        #expect(
            try await test.texts("SELECT finding FROM push.check_campaign('spring') WHERE level = 'error'").first?
                .contains("more than 400") == true)
        try await test.database.script("DELETE FROM marketing.people WHERE id = 401")
        #expect(
            try await CampaignStore(database: test.database).start("spring", key: "2030-01-07T19:00:00Z"))
    }

    /// However many recipients a zone has, finding the zones costs a look-up each.
    @Test func zonesAreFoundByALookUpEach() async throws {
        let test = try await LocalSpecTests.make()
        try await test.database.script(
            """
            INSERT INTO marketing.people SELECT n, (ARRAY['Asia/Tokyo', 'Europe/Berlin', 'UTC'])[n % 3 + 1] FROM generate_series(1, 30000) n;
            ANALYZE marketing.people;
            """)
        let before = try await test.number("SELECT pg_stat_get_xact_tuples_returned('marketing.people'::regclass)")
        let read = try await test.database.withTransaction { connection in
            try await connection.query(
                """
                SELECT (SELECT count(*) FROM push_internal.audience_zones('marketing.lapsed', 401))
                       + 1000 * pg_stat_get_xact_tuples_returned('marketing.people_by_zone'::regclass)
                """, doing: "find zones"
            ) { rows in try rows.single { row in try row.int64() } }
        }
        #expect(before == 0)
        #expect(read % 1_000 == 3)
        #expect(read / 1_000 < 20, "\(read / 1_000) index entries read")
    }
}
