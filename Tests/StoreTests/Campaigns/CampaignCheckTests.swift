import Postgres
import Store
import TestSupport
import Testing

/// Sums and estimates of `fanfare campaign check`.
@Suite struct CampaignCheckTests {
    private static func make() async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        return test
    }

    private static func sums(_ members: String, recipients: Int64, in test: TestDatabase) async throws -> [String] {
        try await test.texts(
            """
            SELECT concat_ws(' ', level, about, finding, '|', hint)
              FROM push_internal.check_sums((\("{\(members)}"))::json, \(recipients))
            """)
    }

    @Test(
        arguments: [
            (#""rate": 100"#, 36_000, ["info rate 36000 messages at 100.0 a second: 00:06:00 |"]),
            (#""maxDuration": "1 h""#, 36_000, []), (#""rate": 100"#, 0, []),
            (
                #""spread": "1 h", "maxDuration": "2 h""#, 7_200,
                ["info spread 7200 messages at 2.0 a second: 01:00:00 |"]
            ),
            // A ramp of ten minutes sends 315 of 600 in them.
            (#""rate": 1, "ramp": "10m""#, 315, ["info rate 315 messages at 1.0 a second: 00:10:00 |"]),
            (#""rate": 1, "ramp": "10m""#, 915, ["info rate 915 messages at 1.0 a second: 00:20:00 |"]),
            (
                #""rate": 100, "maxDuration": "2 h", "expires": "3 h""#, 1_440_000,
                [
                    "info rate 1440000 messages at 100.0 a second: 04:00:00 |",
                    "warning maxDuration is over after 02:00:00, and 1440000 recipients at 100.0 a second take 04:00:00: "
                        + #"about 720000 of them get nothing | Set rate to 200, or maxDuration to "04:00:00"."#,
                    "warning expires is over after 03:00:00, and 1440000 recipients at 100.0 a second take 04:00:00: "
                        + #"about 360000 of them expire unsent | Set rate to 134, or expires to "04:00:00"."#,
                ]
            ),
            (
                #""spread": "4 h", "maxDuration": "1 h""#, 14_400,
                [
                    "info spread 14400 messages at 1.0 a second: 04:00:00 |",
                    "warning maxDuration is over after 01:00:00, and 14400 recipients at 1.0 a second take 04:00:00: "
                        + #"about 10800 of them get nothing | Set spread to "01:00:00", or maxDuration to "04:00:00"."#,
                ]
            ),
            (
                #""rate": 1, "window": {"from": "22:00", "until": "02:00", "zone": "UTC"}"#, 36_000,
                [
                    "info rate 36000 messages at 1.0 a second: 10:00:00 |",
                    "info window is open for 04:00:00 a day: the run needs 3 of them, and lasts 50:00:00 at least |",
                ]
            ),
            (
                #""rate": 1, "window": {"from": "08:00", "until": "12:00", "zone": "UTC"}, "maxDuration": "26 h""#,
                36_000,
                [
                    "info rate 36000 messages at 1.0 a second: 10:00:00 |",
                    "info window is open for 04:00:00 a day: the run needs 3 of them, and lasts 50:00:00 at least |",
                    "warning maxDuration is over after 26:00:00, and 36000 recipients at 1.0 a second take 50:00:00 with the "
                        + "hours for which the window is shut: about 14400 of them get nothing | "
                        + #"Set rate to 2, or maxDuration to "50:00:00"."#,
                ]
            ),
            (
                #""rate": 1, "window": {"from": "08:00", "until": "12:00", "outside": "drop", "zone": "UTC"}"#, 36_000,
                [
                    "info rate 36000 messages at 1.0 a second: 10:00:00 |",
                    "warning window is open for 04:00:00, and 36000 recipients at 1.0 a second take 10:00:00: about 21600 of "
                        + #"them get nothing | Set rate to 3, or leave out "outside": the run then goes on the next day."#,
                ]
            ),
            // By the clock of each recipient.
            (
                #""rate": 1, "expires": "1 h", "local": {"time": "09:00"}"#, 36_000,
                ["info rate 36000 messages at 1.0 a second: 10:00:00 |"]
            ),
        ] as [(String, Int64, [String])])
    func rateAndRecipientsAreHeldAgainstTheTimes(members: String, recipients: Int64, findings: [String]) async throws {
        let test = try await Self.make()
        #expect(try await Self.sums(members, recipients: recipients, in: test) == findings)
    }

    /// What is sent in the sending time is all, with and without a ramp.
    @Test func theTimeIsTheInverseOfTheCount() async throws {
        let test = try await Self.make()
        #expect(
            try await test.number(
                """
                SELECT count(*)
                  FROM generate_series(1, 200) n, (VALUES (NULL::interval), ('10 s'), ('1 h')) r(ramp), (VALUES (0.5), (10), (4000)) v(rate),
                       LATERAL push_internal.sending_time(n * 37, v.rate, r.ramp) t
                 WHERE abs(push_internal.sent_within(v.rate, r.ramp, t) - n * 37) > 0.001
                """) == 0)
    }

    /// The rate is that of all hubs together.
    @Test func theHubsShareTheRate() async throws {
        let test = try await Self.make()
        var second = TestWorker.news
        second.name = "second"
        _ = try await Hubs(database: test.database).register(second)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring",
            spec:
                #"{"hubs": ["news", "second"], "audience": {"tags": ["A", "B", "C"]}, "content": {"": {"a": "b"}}, "rate": 1}"#,
            draft: false)
        let findings = try await campaigns.check("spring").filter { $0.level == "info" }.map(\.finding)
        #expect(findings == ["3 messages", "3 messages", "6 messages at 1.0 a second: 00:00:06"])
    }

    @Test func anEstimateWithoutStatisticsIsAGuess() async throws {
        let test = try await Self.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.customer (id bigint PRIMARY KEY, tag text);
            CREATE TABLE marketing."Region" (id bigint PRIMARY KEY);
            INSERT INTO marketing.customer SELECT n, 'user:' || n FROM generate_series(1, 100) n;
            CREATE VIEW marketing.lapsed AS
            SELECT c.id AS key, c.tag FROM marketing.customer c WHERE c.id IN (SELECT r.id FROM marketing."Region" r);
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create(
            "spring",
            spec: #"{"hubs": ["news"], "audience": {"view": "marketing.lapsed"}, "content": {"": {"a": "b"}}}"#,
            draft: false)
        func guess() async throws -> CampaignStore.Finding? {
            try await campaigns.check("spring").first { $0.finding.contains("ANALYZE") }
        }
        let first = try #require(try await guess())
        #expect(first.level == "warning")
        #expect(
            first.finding.hasSuffix(#"messages is a guess: no ANALYZE ran on marketing."Region", marketing.customer"#))
        #expect(first.hint == #"Run: ANALYZE marketing."Region", marketing.customer;"#)
        try await test.database.script("ANALYZE marketing.customer")
        #expect(try await guess()?.hint == #"Run: ANALYZE marketing."Region";"#)
        try await test.database.script(#"ANALYZE marketing."Region""#)
        #expect(try await guess() == nil)
    }
}
