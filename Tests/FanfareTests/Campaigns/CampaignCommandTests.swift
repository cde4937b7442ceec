import Foundation
import ProgramSupport
import Testing

/// What the commands of campaigns print.
@Suite struct CampaignCommandTests {
    /// Of 30 recipients 12 have a message, of which 4 were accepted.
    private static func make() async throws -> Site {
        let site = try await Site.make()
        try await site.execute(
            """
            SELECT push.make_list('l');
            INSERT INTO push.list_member (list, key, tag)
            SELECT l.id, lpad(n::text, 5, '0'), 'u:' || n FROM push.list l, generate_series(1, 30) n;
            SELECT push.create_campaign('spring', '{"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "x"}}}');
            SELECT push.start_run('spring', 'k');
            SELECT push_worker.expand_v1(id, 12) FROM push.stream;
            INSERT INTO push.result (id, status, reason)
            SELECT d.id, 'accepted', 'taken_by_hub' FROM (SELECT id FROM push.due ORDER BY id LIMIT 4) d;
            DELETE FROM push.due d WHERE EXISTS (SELECT FROM push.result r WHERE r.id = d.id);
            """)
        return site
    }

    @Test func cancelSaysWhatWasSentTakenBackAndNeverMade() async throws {
        let site = try await Self.make()
        let ended = try await site.fanfare("campaign", "cancel", "spring")
        #expect(ended.status == 0, "\(ended)")
        #expect(
            ended.output == "campaign spring, run k: of ~30 recipients 4 sent, 8 taken back, ~18 never made\n",
            "\(ended)")
        // Again: the same numbers, whoever took them back.
        let again = try await site.fanfare("campaign", "cancel", "spring", "--json")
        let numbers = try again.json([String: Any].self)
        #expect(numbers["run"] as? String == "k")
        let all = ["sent", "taken_back", "never_made", "rejected", "expired", "in_doubt", "under_way", "left_out"]
        #expect(all.map { numbers[$0] as? Int } == [4, 8, 18, 0, 0, 0, 0, 0])
        #expect(numbers["total"] as? Int == 30)
    }

    /// A schedule that never comes, and a text with one brace: warnings, whichever part of the program finds them.
    @Test func createWarnsInOnePlace() async throws {
        let site = try await Self.make()
        let spec = try site.scratch.write(
            #"""
            {"hubs": ["news"], "audience": {"list": "l"}, "content": {"": {"title": "Hi {name}"}},
             "schedule": {"at": "2020-01-01T09:00", "zone": "Europe/Berlin"}}
            """#, to: "spec.json")
        let plain = try await site.fanfare("campaign", "create", "spring", "--file", spec)
        #expect(plain.output == "campaign spring is at revision 2\n", "\(plain)")
        #expect(plain.errors.contains("warning: schedule: "), "\(plain)")
        #expect(plain.errors.contains("{name}"), "\(plain)")
        let json = try await site.fanfare("campaign", "create", "spring", "--file", spec, "--json")
        #expect(json.errors == "", "\(json)")
        let warnings = try json.json([String: Any].self)["warnings"] as? [String] ?? []
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.hasPrefix("schedule: ") == true && warnings.last?.contains("{name}") == true)
    }

    /// A view that cannot be an audience is a fault of its owner's, and not of the schema.
    @Test(arguments: [["check", "people"], ["run", "people", "--key", "k"]])
    func aViewWithoutKeyIsBadInput(command: [String]) async throws {
        let site = try await Self.make()
        try await site.execute(
            """
            CREATE SCHEMA m; CREATE VIEW m.v AS SELECT 1 AS id, 'user:1' AS tag;
            GRANT USAGE ON SCHEMA m TO push_audience; GRANT SELECT ON m.v TO push_audience;
            SELECT push.create_campaign('people', '{"hubs": ["news"], "audience": {"view": "m.v"}, "content": {"": {"title": "x"}}}');
            """)
        let ended = try await site.fanfare.run(["campaign"] + command)
        #expect(ended.status == 65, "\(ended)")
        #expect((ended.output + ended.errors).contains(#"the audience m.v has no column "key""#), "\(ended)")
    }

    /// The schedule missed it, and the owner sends it after all.
    @Test func runSendsWhatTheScheduleMissed() async throws {
        let site = try await Self.make()
        try await site.execute(
            """
            SELECT push_internal.record_unsent_runs(c, '{2026-11-26}', 'skipped', 'missed: no worker started it in time')
              FROM push.campaign c
            """)
        let ended = try await site.fanfare("campaign", "run", "spring", "--key", "2026-11-26")
        #expect(ended.status == 0, "\(ended)")
        #expect(try await site.text("SELECT state FROM push.run WHERE key = '2026-11-26'") == "running")
    }
}
