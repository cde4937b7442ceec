import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Which zones, windows and ramps a campaign may have.
@Suite struct LocalSpecTests {
    /// For tests that leave nothing in it.
    private static let untouched = Task { try await make() }

    static let people = """
        CREATE SCHEMA marketing;
        CREATE TABLE marketing.people (id bigint PRIMARY KEY, zone text);
        CREATE INDEX people_by_zone ON marketing.people (zone, id);
        CREATE VIEW marketing.lapsed AS SELECT id AS key, 'user:' || id AS tag, zone AS time_zone FROM marketing.people;
        CREATE VIEW marketing.zoneless AS SELECT id AS key, 'user:' || id AS tag FROM marketing.people;
        GRANT USAGE ON SCHEMA marketing TO push_audience;
        GRANT SELECT ON marketing.lapsed, marketing.zoneless TO push_audience;
        """

    /// - Parameter zoneTag: of the hub.
    static func make(zoneTag: String? = nil) async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        var hub = TestWorker.news
        hub.zoneTag = zoneTag
        _ = try await Hubs(database: test.database).register(hub)
        try await test.database.script(people)
        return test
    }

    /// - Parameter members: of the spec, besides hubs and content.
    static func create(
        _ members: String, audience: String = #"{"view": "marketing.lapsed"}"#, in test: TestDatabase
    ) async throws {
        _ = try await CampaignStore(database: test.database).create(
            "spring",
            spec: #"{"hubs": ["news"], "audience": \#(audience), "content": {"": {"title": "x"}}, \#(members)}"#,
            draft: false)
    }

    @Test(arguments: [
        (#""local": "09:00""#, "local is not an object", "default"),
        (#""local": {"default": "UTC"}"#, "local.time is missing", "09:00"),
        (#""local": {"time": "9:00", "default": "UTC"}"#, "local.time", "23:59"),
        (#""local": {"time": null, "default": "UTC"}"#, "local.time", "23:59"),
        (#""local": {"time": "09:00"}"#, "local.default is missing", "Europe/Berlin"),
        (#""local": {"time": "09:00", "default": "CET"}"#, "local.default", "mean several"),
        (#""local": {"time": "09:00", "default": "UTC", "zones": "all"}"#, "local.zones", "Europe/Berlin"),
        (#""local": {"time": "09:00", "default": "UTC", "zones": []}"#, "local.zones", "Europe/Berlin"),
        (
            #""local": {"time": "09:00", "default": "UTC", "zones": ["Europe/Berlin", "Europe/Pariss"]}"#,
            "there is no such time zone", "Europe/Paris"
        ),
        (#""local": {"time": "09:00", "default": "UTC", "passed": "tomorrow"}"#, "local.passed", "now"),
        (#""local": {"time": "09:00", "default": "UTC", "zone": "UTC"}"#, "local.zone is not known", "zones"),
        (
            #""local": {"time": "09:00"}, "schedule": {"cron": "0 9 * * *", "zone": "UTC", "local": true}"#,
            "stands beside", "names the time itself"
        ),
        (#""schedule": {"cron": "0 9 * * *", "local": true}"#, "local.default is missing", ""),
        (#""schedule": {"cron": "0 9 * * *", "zone": "UTC", "local": 1}"#, "schedule.local", ""),
        (#""schedule": {"at": "2030-01-01T09:00Z", "zone": "UTC", "local": true}"#, "has an offset", "09:00"),
        (#""window": []"#, "window is not an object", "21:00"),
        (#""window": {}"#, "neither from, until nor days", "21:00"),
        (#""window": {"from": "09:00", "until": "09:00", "zone": "UTC"}"#, "begins and ends at 09:00", "midnight"),
        (#""window": {"from": "8", "until": "21:00", "zone": "UTC"}"#, "window.from", "23:59"),
        (#""window": {"from": "08:00", "until": "25:00", "zone": "UTC"}"#, "window.until", "24:00"),
        (#""window": {"days": "monday", "zone": "UTC"}"#, "window.days", "mon-sat"),
        (#""window": {"days": "mon-fri", "zone": "UTC", "outside": "wait"}"#, "window.outside", "hold"),
        (#""window": {"from": "08:00", "until": "21:00"}"#, "window.zone is missing", "Europe/Berlin"),
        (#""window": {"from": "08:00", "zone": "Mars/Base"}"#, "no such time zone", ""),
        (#""ramp": "10m""#, "ramp needs a rate", "rate"),
        (#""ramp": "soon", "rate": 10"#, "ramp is", "30 min"),
    ])
    func aWrongOneIsRefusedWithAHint(members: String, message: String, hint: String) async throws {
        let test = try await Self.untouched.value
        let error = await #expect(throws: DatabaseError.self) { try await Self.create(members, in: test) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(hint.isEmpty || error?.hint?.contains(hint) == true, "\(error?.hint ?? "")")
    }

    @Test(arguments: [
        #""local": {"time": "09:00", "default": "UTC"}"#,
        #""local": {"zones": ["Europe/Berlin"], "passed": "skip"}, "schedule": {"cron": "0 9 * * *", "zone": "UTC", "local": true}"#,
        #""local": {"time": "09:00"}, "schedule": "daily 00:00 UTC""#,
        #""window": {"from": "22:00", "until": "06:00", "days": "fri-mon", "zone": "UTC"}"#,
        #""window": {"from": "08:00"}, "schedule": "daily 00:00 UTC", "rate": 10, "ramp": "10m""#,
        #""window": {"until": "24:00", "days": "sat,sun", "zone": "UTC"}, "spread": "1 h", "ramp": "10 min""#,
    ])
    func aRightOneIsKept(members: String) async throws {
        try await Self.create(members, in: try await Self.make())
    }

    @Test func anAudienceNeedsToSayWhoseZoneItIs() async throws {
        let test = try await Self.make()
        for (audience, zones, message) in [
            (#"{"view": "marketing.zoneless"}"#, #""audience""#, #"no column "time_zone""#),
            (#"{"tags": ["World"]}"#, #""audience""#, "tags do not say which zones"),
            (#"{"tags": ["World"]}"#, #"["Europe/Berlin"]"#, "needs zoneTag of hub news"),
        ] {
            let error = await #expect(throws: DatabaseError.self) {
                try await Self.create(
                    #""local": {"time": "09:00", "default": "UTC", "zones": \#(zones)}"#, audience: audience, in: test)
            }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        }
    }

    @Test func anExpressionThatIsTooLongWithItsZoneIsRefused() async throws {
        let test = try await Self.make(zoneTag: "tz:{zone}")
        let local = #""local": {"time": "09:00", "default": "UTC", "zones": ["Europe/Berlin"]}"#
        try await Self.create(local, audience: #"{"expression": "a && b && c && d && e"}"#, in: test)
        let error = await #expect(throws: DatabaseError.self) {
            try await Self.create(local, audience: #"{"expression": "a && b && c && d && e && f"}"#, in: test)
        }
        #expect(error?.message.contains("tz:Europe_Berlin") == true, "\(error?.message ?? "")")
    }

    @Test func theCheckSaysWhatIsLikelyAMistake() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            DROP INDEX marketing.people_by_zone;
            INSERT INTO marketing.people SELECT n, (ARRAY['Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Berlin'])[n % 4 + 1]
              FROM generate_series(1, 1000) n;
            ANALYZE marketing.people;
            """)
        try await Self.create(
            #"""
            "local": {"time": "20:00", "default": "Europe/Berlin"}, "rate": 0.01, "expires": "6 h", "maxDuration": "2 h",
            "window": {"from": "08:00", "until": "19:00"}
            """#, in: test)
        let findings = try await test.texts(
            "SELECT concat_ws(' ', level, about, finding) FROM push.check_campaign('spring') WHERE about NOT LIKE 'hub%'"
        )
        for words in [
            "info local 3 time zones: it begins at",
            #"values of time_zone that are not zones of it: 1, such as "Berlin""#,
            "warning audience.view has no index (time_zone, key)", "longer than a day",
            "warning maxDuration ends the run before the time of 2 of 3 zones",
            "info window is shut at that time in 3 of 3 zones",
            "warning expires is over before the window opens again in 3 of 3",
        ] {
            #expect(findings.contains { $0.contains(words) }, "\(words): \(findings.joined(separator: "\n"))")
        }
        try await test.database.script("CREATE INDEX ON marketing.people (zone, id)")
        let better = try await test.texts("SELECT finding FROM push.check_campaign('spring')")
        #expect(!better.contains { $0.contains("has no index") }, "\(better)")
    }

    /// A zone whose time is past today, and one where it is still to come, whatever the hour: the default's is where it is noon.
    @Test(arguments: ["now", "skip"]) func theCheckAndARunNameTheSameDay(passed: String) async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            INSERT INTO marketing.people
            SELECT n, CASE WHEN n <= 30 THEN 'Etc/GMT-14' ELSE 'Etc/GMT+12' END FROM generate_series(1, 100) n
            """)
        // At UTC+14 half past twelve is past by more than an hour then, and at UTC-12 it is to come in half an hour or more.
        let noon = try await test.texts(
            "SELECT 'Etc/GMT' || to_char(extract(hour FROM now() AT TIME ZONE 'UTC') - 12, 'SGFM90')")[0]
        try await Self.create(
            #""local": {"time": "12:30", "default": "\#(noon)", "passed": "\#(passed)"}"#, in: test)
        let findings = try await test.texts(
            "SELECT concat_ws(' ', level, about, finding) FROM push.check_campaign('spring') WHERE about LIKE 'local%'")
        let ending = passed == "now" ? "get it at once" : "are left out"
        #expect(
            findings.contains("warning local.time if started now: 1 of 2 zones are past, 30 \(ending)"), "\(findings)")
        #expect(try await CampaignStore(database: test.database).start("spring", key: "k"))
        let last = try await test.texts("SELECT push.iso(max(release_at)) FROM push.stream")[0]
        #expect(findings.contains { $0.hasSuffix("the last zone at \(last)") }, "\(last): \(findings)")
    }
}
