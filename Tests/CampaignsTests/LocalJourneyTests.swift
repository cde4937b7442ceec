import Postgres
import PushWorker
import Store
import TestSupport
import Testing

@testable import Campaigns

/// A campaign in everybody's own zone, from the schedule to the requests at the hub, by a clock that the test moves.
@Suite(.timeLimit(.minutes(10))) struct LocalJourneyTests {
    /// From the schedule to a run with its streams, as a worker fires it: 09:00 of the next day where it begins first.
    private static func fire(_ worker: TestWorker) async throws {
        let database = worker.test.database
        try await database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (id bigint PRIMARY KEY, zone text);
            CREATE INDEX ON marketing.people (zone, id);
            INSERT INTO marketing.people
            SELECT n, (ARRAY['Asia/Tokyo', 'Europe/Berlin', 'America/New_York'])[n % 3 + 1] FROM generate_series(1, 60) n;
            CREATE VIEW marketing.lapsed AS
            SELECT id AS key, 'user:' || id AS tag, zone AS time_zone, json_build_object('zone', zone) AS properties
              FROM marketing.people;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed TO push_audience;
            SELECT push.create_campaign('morning', '{"hubs": ["news"], "audience": {"view": "marketing.lapsed"},
                "content": {"": {"title": "Good morning, {{zone}}"}}, "pack": false,
                "schedule": {"cron": "0 9 * * *", "zone": "Europe/Berlin", "local": true, "catchUp": "7 days"}}');
            """)
        let schedules = Schedules(database: database)
        let zones = TimeZones()
        for _ in 0..<2 {
            let look = try await schedules.look(atMost: 10, except: [])
            let due = try #require(look.due.first)
            let move = try Schedule(due.text, in: zones).move(due, now: look.clock)
            #expect(try await schedules.fire([move]).count == 1)
            // The clock comes to the time that the worker worked out.
            try await database.script("UPDATE push.campaign SET fires_at = clock_timestamp() WHERE next_at > now()")
        }
    }

    @Test func aCampaignScheduledForNineLocalReachesThreeZonesAtTheirHour() async throws {
        let worker = try await TestWorker.make()
        try await Self.fire(worker)
        #expect(
            try await worker.test.texts(
                "SELECT zone || to_char(release_at AT TIME ZONE zone, ' HH24:MI') FROM push.stream ORDER BY release_at")
                == ["Asia/Tokyo 09:00", "Europe/Berlin 09:00", "America/New_York 09:00"])
        try await CampaignJourneyTests.working(worker, expanders: 2) {
            var reached: [String] = []
            for zone in ["Asia/Tokyo", "Europe/Berlin", "America/New_York"] {
                #expect(Set(worker.taken.compactMap(Self.zone)) == Set(reached))
                // Nine o'clock there: all the hours to come are nearer by as much.
                try await worker.test.database.script(
                    """
                    UPDATE push.stream t SET release_at = t.release_at - d.ahead
                      FROM (SELECT o.release_at - clock_timestamp() AS ahead FROM push.stream o WHERE o.zone = '\(zone)') d
                     WHERE t.release_at > clock_timestamp()
                    """)
                reached.append(zone)
                let wanted = Int64(20 * reached.count)
                try await worker.until("SELECT count(*) FROM push.result WHERE status = 'accepted'") { $0 == wanted }
            }
            try await worker.until("SELECT count(*) FROM push.run WHERE closed_at IS NOT NULL")
        }
        #expect(worker.taken.count == 60)
        #expect(
            Dictionary(grouping: worker.taken.compactMap(Self.zone)) { $0 }.mapValues(\.count).values.allSatisfy {
                $0 == 20
            })
        #expect(
            try await worker.test.texts("SELECT concat_ws(' ', state, expanded, total) FROM push.run_progress")
                == ["done 60 60"])
        #expect(try await worker.lost() == [])
    }

    /// The zone that a body names.
    private static func zone(_ body: String) -> String? {
        ["Asia/Tokyo", "Europe/Berlin", "America/New_York"].first {
            body.contains($0) || body.contains($0.replacing("/", with: "\\/"))
        }
    }
}
