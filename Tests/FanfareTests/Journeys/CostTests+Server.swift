import Foundation
import Testing

/// What PostgreSQL executes for a message, in instructions under callgrind. (Of the worker they cannot be counted:
/// callgrind does not outlive a Swift program's first thread.) Bounds are about one and a half times what was measured
/// with PostgreSQL 15.18.
extension CostTests {
    private static let reason: Comment = "valgrind is missing: bin/setup --test installs it"
    private static let content = #"{"title": "Breaking news", "body": "World news in English. World news in English."}"#

    @Test(.enabled(if: Counted.isExpected(LoneBackend.counter), reason))
    func instructionsOfAnInsert() async throws {
        let backend = try await LoneBackend.make(
            "CREATE SCHEMA bare",
            "CREATE TABLE bare.message (LIKE push.message INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING STORAGE)",
            "ALTER TABLE bare.message ADD PRIMARY KEY (id)")
        // Without rows, push.message_search would take note of each new one. Later it is left to autovacuum.
        for table in ["push.message", "bare.message"] {
            let rows = "SELECT 'news', 'World', '\(Self.content)' FROM generate_series(1, 6000)"
            _ = try await backend.count(["INSERT INTO \(table) (hub, tag, content) \(rows)"])
        }
        func insert(_ table: String, _ more: String = "", _ value: String = "") async throws -> Int {
            let values = "'news', 'World', '\(Self.content)'\(value)"
            return try await backend.instructions(
                of: "INSERT INTO \(table) (hub, tag, content\(more)) VALUES (\(values))")
        }
        let bare = try await insert("bare.message")
        let plain = try await insert("push.message")
        // Measured 2.2: 2.8 % of it are the two indexes to find messages by, 10 % that NULL means the default. 14 CHECKs
        // made it 4.2.
        #expect(Double(plain) / Double(bare) < 2.6, "\(plain) instructions, \(bare) into a bare table")
        let named = try await insert("push.message", ", campaign", ", 'spring'")
        // Measured 2.5.
        #expect(Double(named) / Double(bare) < 3.0, "\(named) instructions with an option, \(bare) into a bare table")
        await backend.stop()
    }

    @Test(.enabled(if: Counted.isExpected(LoneBackend.counter), reason))
    func instructionsFromClaimToResult() async throws {
        let backend = try await LoneBackend.make(
            "SELECT push_worker.register_v1('here/1', 'test', 15)",
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'news', 'user_' || n, \(Self.content)::json FROM generate_series(1, 4000) n
            """)
        let few = try await backend.count([Self.journey(claimed: 1_000, portions: 5)])
        let many = try await backend.count([Self.journey(claimed: 1_000, portions: 35)])
        let small = try await backend.count([Self.journey(claimed: 250, portions: 5)])
        let posted = (many - few) / (30 * 25)
        // Measured 84,000.
        #expect(posted < 126_000, "\(posted) instructions a message for intent and completion, 25 posts each")
        let claimed = (few - small) / 750
        // Measured 34,000.
        #expect(claimed < 52_000, "\(claimed) instructions a message for its claim")
        await backend.stop()
    }

    /// Claims, then writes intents and completions for some of it, 25 posts at a time with a message each.
    private static func journey(claimed: Int, portions: Int) -> String {
        """
        DO $$ DECLARE
          epoch int := (SELECT w.epoch FROM push.worker w WHERE w.id = 1); claim bigint; ids bigint[]; tags text[]; n int[] := ARRAY(SELECT generate_series(1, 25)); k int[]; posts bigint[]; mine bigint[];
          http smallint[] := array_fill(201::smallint, ARRAY[25]);
          tracking text[] := array_fill('7f3a51c2-90d4-4e0e-9c3b-5d6e7f8091a2'::text, ARRAY[25]);
          notification text[] := array_fill('4281726354617283-5142637485960718-1'::text, ARRAY[25]);
        BEGIN
          SELECT min(c.claim), array_agg(c.id), array_agg(c.tag) INTO claim, ids, tags
            FROM push_worker.claim_v1(1, 1::smallint, '-infinity', 0, NULL, \(claimed), 1, epoch) c;
          FOR i IN 0..\(portions - 1) LOOP
            mine := ids[i * 25 + 1:i * 25 + 25];
            k := ARRAY(SELECT x + i * 25 FROM unnest(n) x);
            posts := ARRAY(SELECT claim * 10000 + x FROM unnest(k) x);
            PERFORM push_worker.intent_v1(claim, 1, epoch, k, n, n, mine, tags[i * 25 + 1:i * 25 + 25], n);
            PERFORM push_worker.complete_v1(1, epoch, false, mine, posts, http, n, tracking, notification, '{}', '{}', '{}', '{}', '{}', '{}',
              '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}');
          END LOOP;
        END $$;
        """
    }
}
