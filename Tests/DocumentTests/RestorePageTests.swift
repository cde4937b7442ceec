import Foundation
import Postgres
import ProgramSupport
import TestSupport
import Testing

/// docs/operations.md, "Back up and restore": the recipes give a schema in which every message is exactly once.
@Suite(.timeLimit(.minutes(10))) struct RestorePageTests {
    private static let restore = Tool("pg_restore")

    /// A shop with a message in doubt, one that was refused, and three that are pending, in two partitions.
    private static func shop() async throws -> Shop {
        let shop = try await Shop.open()
        let database = shop.worker.test.database
        try await database.script(
            """
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 't' || g, '{"message": "x"}' FROM generate_series(1, 3) g;
            DELETE FROM push.due WHERE id IN (1, 2);
            INSERT INTO push.result (id, status, reason) VALUES (1, 'in_doubt', 'worker_lost'), (2, 'rejected', 'bad_request');
            SELECT setval('push.message_id_seq', 4 * span) FROM push.partitioned WHERE parent = 'message';
            SELECT push.make_partitions();
            INSERT INTO push.message (hub, tag, content) SELECT 'news', 't' || g, '{"message": "x"}' FROM generate_series(1, 2) g;
            """)
        return shop
    }

    /// Runs a block of the page with databases of this test's own.
    private static func run(_ info: String, in shop: Shop, copy: String, folder: URL) async throws {
        let block = try #require(try Page("docs/operations.md").blocks.first { $0.info == info })
        let script = block.text.replacing(/restored|copied/, with: copy)
            .replacing(#/ fanfare$/#.anchorsMatchLineEndings(), with: " \(shop.worker.test.name)")
        let ended = try await Tool.shell(
            ["-e"], environment: shop.environment(user: "postgres"), in: folder, input: script + "\n")
        #expect(ended.status == 0, "\(block): \(ended)")
    }

    private static func counts(_ database: Database) async throws -> [String] {
        try await database.query(
            """
            SELECT format('%s messages, %s pending, %s results, %s lost', (SELECT count(*) FROM push.message),
                          (SELECT count(*) FROM push.due), (SELECT count(*) FROM push.result), (SELECT count(*) FROM push.lost))
            UNION ALL SELECT problem FROM push.lost
            UNION ALL SELECT filled FROM push.filled_defaults() filled
            """
        ) { rows in try rows.map { row in try row.string() } }
    }

    @Test(.enabled(if: restore.isExpected, Tool.advice)) func aWholeRestoreHasEveryMessageOnce() async throws {
        let shop = try await Self.shop()
        let folder = try Folder()
        let copy = shop.worker.test.name + "_whole"
        try await Self.run("sh backup", in: shop, copy: copy, folder: folder.url(""))
        try await Self.run("sh restore", in: shop, copy: copy, folder: folder.url(""))
        let restored = Database(
            DatabaseSettings(
                url: shop.worker.test.conninfo.replacing(shop.worker.test.name, with: copy), maximumConnections: 2))
        let before = try await Self.counts(shop.worker.test.database)
        #expect(before == ["5 messages, 3 pending, 2 results, 0 lost"])
        #expect(try await Self.counts(restored) == before)
        // The numbers move on with the first worker.
        try await restored.execute("SELECT push_worker.begin_timeline_v1()")
        try await restored.execute("INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{}')")
        #expect(
            try await Self.counts(restored) == ["6 messages, 4 pending, 2 results, 0 lost"])
        #expect(
            try await restored.query("SELECT max(id) > 26000000 FROM push.message") { rows in
                try rows.map { row in try row.bool() }
            } == [true])
        await restored.close()
    }

    @Test(.enabled(if: restore.isExpected, Tool.advice)) func aCopyOfTheRowsHasEveryMessageOnce() async throws {
        let shop = try await Self.shop()
        let folder = try Folder()
        let copy = try await TestDatabase.make()
        try await Self.run("sh copy", in: shop, copy: copy.name, folder: folder.url(""))
        #expect(
            try await Self.counts(copy.database)
                == Self.counts(shop.worker.test.database))
        try await copy.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{}')")
        #expect(try await Self.counts(copy.database) == ["6 messages, 4 pending, 2 results, 0 lost"])
    }
}
