import Postgres
import Store
import TestSupport
import Testing

/// Which schedules a campaign may have, and what changes them.
@Suite struct ScheduleSpecTests {
    static func make(schedule: String? = nil) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        _ = try await create(schedule, in: test)
        return test
    }

    static func create(
        _ schedule: String?, title: String = "x", draft: Bool = false, in test: TestDatabase
    ) async throws -> Int32 {
        let member = schedule.map { #", "schedule": \#($0)"# } ?? ""
        return try await CampaignStore(database: test.database).create(
            "spring",
            spec:
                #"{"hubs": ["news"], "audience": {"tags": ["A"]}, "content": {"": {"title": "\#(title)"}}\#(member)}"#,
            draft: draft
        ).revision
    }

    @Test(arguments: [
        (#""weekdays 07:00 Europe/Paris""#, "0 7 * * 1-5", "Europe/Paris"),
        (#""0 7 * * 1-5 Europe/Paris""#, "0 7 * * 1-5", "Europe/Paris"),
        (#"" daily  00:05  UTC ""#, "5 0 * * *", "UTC"),
        (#""weekends 10:00 America/Argentina/Buenos_Aires""#, "0 10 * * 6,0", "America/Argentina/Buenos_Aires"),
        (#""Mon,Thu 09:30,17:30 UTC""#, "30 9,17 * * mon,thu", "UTC"),
        (#""1st,15th 8:00 Europe/Berlin""#, "0 8 1,15 * *", "Europe/Berlin"),
        (#""@daily Asia/Tokyo""#, "@daily", "Asia/Tokyo"),
        (#"{"cron": "*/5 8-18 * JAN-jun mon", "zone": "UTC"}"#, "*/5 8-18 * JAN-jun mon", "UTC"),
    ])
    func aScheduleIsReadAsPeopleWriteIt(written: String, cron: String, zone: String) async throws {
        let test = try await Self.make(schedule: written)
        #expect(
            try await test.texts(
                "SELECT concat_ws('|', s ->> 'cron', s ->> 'zone') FROM push_internal.schedule_of(1) s")
                == ["\(cron)|\(zone)"])
        #expect(try await test.texts("SELECT next_at::text FROM push.campaign") == ["-infinity"])
    }

    @Test(arguments: [
        (#"5"#, "is not an object", "Europe/Berlin"),
        (#"{"zone": "UTC"}"#, "neither cron and at", "for once"),
        (#"{"cron": "0 9 * * *", "at": "2030-01-01T09:00", "zone": "UTC"}"#, "both cron and at", "for once"),
        (#"{"cron": "0 9 * * *", "zone": "UTC", "jiter": "5m"}"#, "jiter is not known", "jitter"),
        (#"{"cron": "0 9 * * *"}"#, "schedule.zone is missing", "Europe/Berlin"),
        (#"{"cron": "0 9 * * *", "zone": "CET"}"#, "not the name of a time zone", "mean several"),
        (#"{"cron": "0 9 * * *", "zone": "Europe/Berln"}"#, "there is no such time zone", "Europe/Berlin"),
        (#"{"cron": "0 9 * * *", "zone": "posix/../../etc"}"#, "schedule.zone", "Europe/Berlin"),
        // PostgreSQL reads both as POSIX rules.
        (#"{"cron": "0 9 * * *", "zone": "Abc/Def+5"}"#, "not the name of a time zone", "Europe/Berlin"),
        (#"{"cron": "0 9 * * *", "zone": "Abc/Def5"}"#, "not the name of a time zone", "Europe/Berlin"),
        (#"{"cron": 9, "zone": "UTC"}"#, "it is not a text", "fanfare schedule next"),
        (#"{"cron": "0 0 30 2 *", "zone": "UTC"}"#, "never starts", "fanfare schedule next"),
        (#"{"cron": "0 0 31 4,jun,9,11 *", "zone": "UTC"}"#, "never starts", ""),
        (#"{"cron": "60 * * * *", "zone": "UTC"}"#, "minute: \"60\" is not 0 to 59", ""),
        (#"{"cron": "0 9 * * 1-5 *", "zone": "UTC"}"#, "6 fields", ""),
        (#"{"cron": "0 9 L * *", "zone": "UTC"}"#, "other schedulers", ""),
        (#"{"cron": "@reboot", "zone": "UTC"}"#, "because a machine does", ""),
        (#"{"cron": "5/10 * * * *", "zone": "UTC"}"#, "5-59/10", ""),
        (#"{"cron": "0 9 * * 5-1", "zone": "UTC"}"#, "runs backwards", ""),
        (#"{"at": "2030-02-30T09:00", "zone": "UTC"}"#, "no such day", ""),
        (#"{"at": "tomorrow", "zone": "UTC"}"#, "not a time", "2027-03-01"),
        (#"{"at": "2030-02-20T09:00"}"#, "neither an offset nor a zone", "Europe/Berlin"),
        (#"{"cron": "@daily", "zone": "UTC", "overlap": "both"}"#, "not one of skip, queue, cancel, allow", "skip"),
        (#"{"cron": "@daily", "zone": "UTC", "misfire": "none"}"#, "not one of skip, once, all", "once"),
        (#"{"cron": "@daily", "zone": "UTC", "jitter": "2 days"}"#, "longer than a day", ""),
        (#"{"cron": "@daily", "zone": "UTC", "catchUp": "30 days"}"#, "longer than 7 days", "backfill"),
        (#"{"cron": "@daily", "zone": "UTC", "catchUp": "soon"}"#, "schedule.catchUp", ""),
        (#"{"cron": "@daily", "zone": "UTC", "pauseOnFailure": 20}"#, "schedule.pauseOnFailure", ""),
        (
            #"{"cron": "@daily", "zone": "UTC", "from": "2030-02-01", "until": "2030-01-01"}"#,
            #"schedule.until is "2030-01-01", before from, "2030-02-01": it never starts"#, "over"
        ),
        (
            #"{"cron": "@daily", "zone": "Asia/Tokyo", "from": "2030-01-01T01:00Z", "until": "2030-01-01T09:59"}"#,
            "before from", "over"
        ),
        (#"{"at": "2030-01-01", "zone": "UTC", "from": "2030-02-01"}"#, "schedule.at", "Leave from out"),
        (#"{"at": "2030-01-01", "zone": "UTC", "until": "2029-02-01"}"#, "schedule.at", "Leave until out"),
        (#""every 2 weeks 09:00 UTC""#, "no words for every second week", ""),
        (#""last friday 09:00 UTC""#, "no words for every second week", ""),
        (#""hourly UTC""#, "fields", "fanfare schedule next"),
        (#""daily 9 UTC""#, "fields", ""),
    ])
    func aWrongScheduleIsRefusedWhenTheCampaignIsMade(written: String, message: String, hint: String) async throws {
        let test = try await StoreFixture.untouched.test
        let error = await #expect(throws: DatabaseError.self) { _ = try await Self.create(written, in: test) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
        #expect(try await test.number("SELECT count(*) FROM push.campaign") == 0)
    }

    @Test func anEditOfTheTextDoesNotMoveTheTimeAndOneOfTheScheduleDoes() async throws {
        let test = try await Self.make(schedule: #""daily 09:00 UTC""#)
        try await test.database.script(
            "UPDATE push.campaign SET next_at = '2030-01-01 09:00Z', fires_at = '2030-01-01 09:00Z'")
        let next: SQL = "SELECT next_at::text FROM push.campaign"
        _ = try await Self.create(#""daily 09:00 UTC""#, title: "y", in: test)
        #expect(try await test.texts("SELECT extract(year FROM next_at)::text FROM push.campaign") == ["2030"])
        _ = try await Self.create(#""daily 10:00 UTC""#, title: "y", in: test)
        #expect(try await test.texts(next) == ["-infinity"])
        _ = try await Self.create(nil, title: "y", in: test)
        #expect(try await test.texts("SELECT coalesce(next_at::text, 'none') FROM push.campaign") == ["none"])
        _ = try await Self.create(#""daily 10:00 UTC""#, draft: true, in: test)
        #expect(try await test.texts("SELECT coalesce(next_at::text, 'none') FROM push.campaign") == ["none"])
        _ = try await Self.create(#""daily 10:00 UTC""#, in: test)
        #expect(try await test.texts(next) == ["-infinity"])
        try await CampaignStore(database: test.database).archive("spring")
        #expect(try await test.texts("SELECT coalesce(next_at::text, 'none') FROM push.campaign") == ["none"])
    }

    @Test func aScheduleCanBeGivenTakenPausedAndResumed() async throws {
        let test = try await Self.make()
        let none = await #expect(throws: DatabaseError.self) {
            try await test.database.script("SELECT push.pause_schedule('spring')")
        }
        #expect(none?.message.contains("has no schedule") == true)
        try await test.database.script(
            #"SELECT push.schedule_campaign('spring', '"weekdays 09:00 Europe/Berlin"')"#)
        // The rest of the spec stays as it was.
        #expect(
            try await test.texts(
                "SELECT string_agg(k, ',') FROM push.campaign_revision r, json_object_keys(r.spec) k WHERE r.revision = 2"
            )
                == ["hubs,audience,content,schedule"])
        try await test.database.script("SELECT push.pause_schedule('spring', 'too loud')")
        let shown: SQL = "SELECT concat_ws('|', n, zone, why) FROM push.campaign_next"
        let paused = try await test.texts(shown)
        #expect(paused.count == 1)
        #expect(paused.first?.hasPrefix("Europe/Berlin|paused by ") == true)
        #expect(paused.first?.hasSuffix(": too loud") == true)
        // An edit does not resume it.
        try await test.database.script(#"SELECT push.schedule_campaign('spring', '"daily 09:00 Europe/Berlin"')"#)
        #expect(try await test.number("SELECT count(*) FROM push.campaign WHERE next_at IS NULL") == 1)
        try await test.database.script("SELECT push.resume_schedule('spring')")
        #expect(try await test.texts(shown) == ["Europe/Berlin"])
        #expect(try await test.texts("SELECT next_at::text FROM push.campaign") == ["-infinity"])
        try await test.database.script("SELECT push.schedule_campaign('spring', NULL)")
        #expect(try await test.texts(shown) == [])
        #expect(
            try await test.texts(
                "SELECT action FROM push.audit WHERE action LIKE '%schedule' ORDER BY at") == [
                    "pause_schedule", "resume_schedule",
                ])
    }

    @Test func aSingleTimeThatIsPastIsRefusedAndTheScheduleStays() async throws {
        let test = try await Self.make(schedule: #""daily 09:00 UTC""#)
        let error = await #expect(throws: DatabaseError.self) {
            try await test.database.script(
                #"SELECT push.schedule_campaign('spring', '{"at": "2020-03-01T09:00", "zone": "Europe/Berlin"}')"#)
        }
        #expect(error?.message == "schedule.at: 2020-03-01T09:00 is past")
        #expect(error?.hint?.contains("fanfare campaign run spring") == true)
        #expect(try await test.number("SELECT revision FROM push.campaign") == 1)
    }

    @Test func oneStatementKeepsACampaignThatStartsItself() async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let started = try await test.texts(
            """
            SELECT concat_ws('|', r.run, r.started)
              FROM push.run_campaign('digest', NULL, 'news', '{A}', '{"": {"title": "x"}}',
                                     schedule => '0 7 * * 1-5 Europe/Paris') r
            """)
        #expect(started == ["f"])
        #expect(try await test.texts("SELECT next_at::text FROM push.campaign") == ["-infinity"])
        #expect(try await test.number("SELECT count(*) FROM push.run") == 0)
    }
}
