import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// Old and final rows are dropped with whole partitions; open messages keep theirs and are named.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PurgeTests {
    private static let span: Int64 = 4_000_000

    /// Two accepted messages in the oldest partition, which is full and 60 days old.
    private static func old(_ store: StoreFixture) async throws -> [Int64] {
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1)), .accepted(claim.post(2))], finished: [claim.id])
        try await store.database.script(
            """
            UPDATE push.message_0 SET created_at = created_at - interval '60 days';
            UPDATE push.result_0 SET at = at - interval '60 days';
            UPDATE push.post_0 SET at = at - interval '60 days';
            UPDATE push.answer_0 SET at = at - interval '60 days';
            SELECT setval('push.message_id_seq', \(span));
            SELECT setval('push.claim_id', 100000);
            """)
        _ = try await Schema(database: store.database).makePartitions()
        return ids
    }

    /// Calls it until nothing more is done, like the command.
    private static func purge(_ store: StoreFixture, batch: Int32 = 1000) async throws -> [String] {
        var done: [String] = []
        while true {
            let steps = try await Purge.step(
                in: store.database, olderThan: "30 days", batch: batch, keepAudit: "365 days")
            done += steps.filter(\.isProgress).map { "\($0.what) \($0.action)" }
            guard steps.contains(where: \.isProgress) else {
                return done + steps.map { "\($0.what) \($0.action): \($0.note)" }
            }
        }
    }

    @Test func oldPartitionsAreDroppedMessagesBeforeResults() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.old(store)
        let done = try await Self.purge(store)
        #expect(Set(done) == ["message_0 dropped", "result_0 dropped", "answer_0 dropped", "post_0 dropped"])
        #expect(done.firstIndex(of: "message_0 dropped") ?? 9 < done.firstIndex(of: "result_0 dropped") ?? 0)
        #expect(try await store.count("message") == 0)
        #expect(try await store.count("answer") == 0)
        #expect(try await store.lost() == [])
        #expect(try await Schema(database: store.database).verify() == [])
        // The next messages are enqueued as usual.
        let fresh = try await store.insert(2)
        #expect(try await store.status(fresh[0]) == "due")
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'purge'") == 5)
    }

    @Test func anOpenMessageKeepsOnlyItsOwnPartition() async throws {
        let store = try await StoreFixture.make()
        let open = try await store.database.query(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', now() + interval '1 year') RETURNING id"
        ) { rows in try rows[0].int64(0) }
        try await store.database.execute("SELECT setval('push.message_id_seq', \(Self.span + 10))")
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1)), .accepted(claim.post(2))], finished: [claim.id])
        try await store.database.script(
            """
            ALTER TABLE push.message DISABLE TRIGGER never_changed;
            UPDATE push.message SET created_at = created_at - interval '60 days';
            UPDATE push.result SET at = at - interval '60 days';
            SELECT setval('push.message_id_seq', \(2 * Self.span));
            """)
        let done = try await Self.purge(store)
        #expect(done.contains("message_1 dropped") && done.contains("result_1 dropped"), "\(done)")
        #expect(done.contains("message_0 kept: 1 is not final, such as \(open)"), "\(done)")
        #expect(try await store.count("message") == 1)
        #expect(try await store.lost() == [])
    }

    @Test func anOpenMessageKeepsItsPartitionAndIsNamed() async throws {
        for open in ["due", "claim", "in_doubt"] {
            let store = try await StoreFixture.make()
            let late = try await store.database.query(
                "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', now() + interval '1 year') RETURNING id"
            ) { rows in try rows[0].int64(0) }
            switch open {
            case "claim":
                try await store.database.execute("UPDATE push.due SET due_at = now() - interval '1 day'")
                _ = try #require(try await store.claim())
            case "in_doubt":
                try await store.database.execute("DELETE FROM push.due")
                try await store.database.execute(
                    "INSERT INTO push.result (id, status, reason) VALUES (\(late), 'in_doubt', 'worker_lost')")
            default: break
            }
            _ = try await Self.old(store)
            let done = try await Self.purge(store)
            #expect(done.contains("message_0 kept: 1 is not final, such as \(late)"), "\(open): \(done)")
            #expect(try await store.count("message") == 3, "\(open)")
            #expect(try await store.lost() == [], "\(open)")
        }
    }

    @Test func aYoungOrUnfilledPartitionIsKept() async throws {
        let store = try await StoreFixture.make()
        _ = try await store.insert(2)
        #expect(try await Self.purge(store) == [])
        _ = try await Self.old(store)
        try await store.database.execute(
            "UPDATE push.message_0 SET created_at = now() - interval '29 days' WHERE id = 1")
        let done = try await Self.purge(store)
        #expect(done.contains { $0.hasPrefix("message_0 kept: is in use until ") }, "\(done)")
        #expect(try await store.count("message") == 4)
    }

    @Test func withAReaderItTriesAgainLater() async throws {
        let store = try await StoreFixture.make()
        _ = try await Self.old(store)
        try await store.database.withTransaction { reader in
            try await reader.execute("SELECT count(*) FROM push.message")
            let steps = try await Purge.step(in: store.database, olderThan: "30 days", batch: 10, keepAudit: "365 days")
            #expect(steps.map(\.what) == ["message_0"])
            #expect(steps.first?.note.contains("try again") == true)
            try await store.insert(1)
        }
        #expect(try await Self.purge(store).contains("message_0 dropped"))
    }

    @Test func keysCountersAndAuditAreDeletedInBatches() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            INSERT INTO push.dedupe (hub, key, id, at) SELECT \(store.hub), 'old' || g, g, now() - interval '8 days' FROM generate_series(1, 25) g;
            INSERT INTO push.dedupe (hub, key, id, at) SELECT \(store.hub), 'new' || g, g, now() - interval '6 days' FROM generate_series(1, 5) g;
            INSERT INTO push.tally SELECT \(store.hub), now() - interval '31 days' - g * interval '1 minute', 'accepted', 'taken_by_hub', 1 FROM generate_series(1, 25) g;
            INSERT INTO push.tally SELECT \(store.hub), now() - g * interval '1 minute', 'accepted', 'taken_by_hub', 1 FROM generate_series(1, 5) g;
            INSERT INTO push.audit (at, action) SELECT now() - interval '2 years', 'x' FROM generate_series(1, 25) g;
            """)
        #expect(Set(try await Self.purge(store, batch: 10)) == ["keys deleted", "tally deleted", "audit deleted"])
        #expect(try await store.count("dedupe") == 5)
        #expect(try await store.count("tally") == 5)
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'x'") == 0)
    }

    @Test func translationsArePurgedWithTheirMessages() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        _ = try await Self.old(store)
        try await store.insert(1)
        #expect(try await store.count("translation") == 2)
        #expect(try await Self.purge(store).contains("translation deleted"))
        #expect(try await store.count("translation") == 0)
    }
}
