import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What is old and final is forgotten, whole partitions at a time; what is open is kept and named.
@Suite(.serialized, .timeLimit(.minutes(3))) struct PurgeTests {
    private static let span: Int64 = 4_000_000

    /// One message of each fate in the oldest partition, which is full and 60 days old: accepted, and what `open` asks for.
    private static func old(_ bench: Bench) async throws -> [Int64] {
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await bench.complete([.accepted(claim.post(1)), .accepted(claim.post(2))], finished: [claim.id])
        try await bench.database.script(
            """
            UPDATE push.message_0 SET created_at = created_at - interval '60 days';
            UPDATE push.result_0 SET at = at - interval '60 days';
            UPDATE push.post_0 SET at = at - interval '60 days';
            UPDATE push.answer_0 SET at = at - interval '60 days';
            SELECT setval('push.message_id_seq', \(span));
            SELECT setval('push.claim_id', 100000);
            """)
        _ = try await Schema(database: bench.database).makePartitions()
        return ids
    }

    /// Calls it until nothing more is done, as the command does. Batches of one table count as one.
    private static func purge(_ bench: Bench, batch: Int32 = 1000) async throws -> [String] {
        var done: [String] = []
        while true {
            let steps = try await Purge.step(
                in: bench.database, olderThan: "30 days", batch: batch, keepAudit: "365 days")
            done += steps.filter(\.isProgress).map { "\($0.what) \($0.action)" }
            guard steps.contains(where: \.isProgress) else {
                return done + steps.map { "\($0.what) \($0.action): \($0.note)" }
            }
        }
    }

    @Test func oldPartitionsGoOneByOneAndMessagesBeforeResults() async throws {
        let bench = try await Bench.make()
        _ = try await Self.old(bench)
        let done = try await Self.purge(bench)
        #expect(Set(done) == ["message_0 dropped", "result_0 dropped", "answer_0 dropped", "post_0 dropped"])
        #expect(done.firstIndex(of: "message_0 dropped") ?? 9 < done.firstIndex(of: "result_0 dropped") ?? 0)
        #expect(try await bench.count("message") == 0)
        #expect(try await bench.count("answer") == 0)
        #expect(try await bench.lost() == [])
        #expect(try await Schema(database: bench.database).verify() == [])
        // life goes on
        let fresh = try await bench.insert(2)
        #expect(try await bench.status(fresh[0]) == "due")
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'purge'") == 5)
    }

    @Test func oneOpenMessageKeepsItsPartitionAndNoneThatCameLater() async throws {
        let bench = try await Bench.make()
        let open = try await bench.database.query(
            "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', now() + interval '1 year') RETURNING id"
        ) { rows in try rows[0].int64(0) }
        try await bench.database.execute("SELECT setval('push.message_id_seq', \(Self.span + 10))")
        let ids = try await bench.insert(2)
        let claim = try #require(try await bench.claim())
        try await bench.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await bench.complete([.accepted(claim.post(1)), .accepted(claim.post(2))], finished: [claim.id])
        try await bench.database.script(
            """
            ALTER TABLE push.message DISABLE TRIGGER never_changed;
            UPDATE push.message SET created_at = created_at - interval '60 days';
            UPDATE push.result SET at = at - interval '60 days';
            SELECT setval('push.message_id_seq', \(2 * Self.span));
            """)
        let done = try await Self.purge(bench)
        #expect(done.contains("message_1 dropped") && done.contains("result_1 dropped"), "\(done)")
        #expect(done.contains("message_0 kept: 1 is not final, such as \(open)"), "\(done)")
        #expect(try await bench.count("message") == 1)
        #expect(try await bench.lost() == [])
    }

    @Test func whatIsPendingScheduledOrInDoubtKeepsItsPartitionAndIsNamed() async throws {
        for open in ["due", "claim", "in_doubt"] {
            let bench = try await Bench.make()
            let late = try await bench.database.query(
                "INSERT INTO push.message (hub, tag, content, send_at) VALUES ('news', 'a', '{}', now() + interval '1 year') RETURNING id"
            ) { rows in try rows[0].int64(0) }
            switch open {
            case "claim":
                try await bench.database.execute("UPDATE push.due SET due_at = now() - interval '1 day'")
                _ = try #require(try await bench.claim())
            case "in_doubt":
                try await bench.database.execute("DELETE FROM push.due")
                try await bench.database.execute(
                    "INSERT INTO push.result (id, status, reason) VALUES (\(late), 'in_doubt', 'worker_lost')")
            default: break
            }
            _ = try await Self.old(bench)
            let done = try await Self.purge(bench)
            #expect(done.contains("message_0 kept: 1 is not final, such as \(late)"), "\(open): \(done)")
            #expect(try await bench.count("message") == 3, "\(open)")
            #expect(try await bench.lost() == [], "\(open)")
        }
    }

    @Test func aYoungOrUnfilledPartitionIsKept() async throws {
        let bench = try await Bench.make()
        _ = try await bench.insert(2)
        #expect(try await Self.purge(bench) == [])
        _ = try await Self.old(bench)
        try await bench.database.execute(
            "UPDATE push.message_0 SET created_at = now() - interval '29 days' WHERE id = 1")
        let done = try await Self.purge(bench)
        #expect(done.contains { $0.hasPrefix("message_0 kept: is in use until ") }, "\(done)")
        #expect(try await bench.count("message") == 4)
    }

    @Test func aReaderMakesItTryAgainLaterAndNobodyWaits() async throws {
        let bench = try await Bench.make()
        _ = try await Self.old(bench)
        try await bench.database.withTransaction { reader in
            try await reader.execute("SELECT count(*) FROM push.message")
            let steps = try await Purge.step(in: bench.database, olderThan: "30 days", batch: 10, keepAudit: "365 days")
            #expect(steps.map(\.what) == ["message_0"])
            #expect(steps.first?.note.contains("try again") == true)
            try await bench.insert(1)
        }
        #expect(try await Self.purge(bench).contains("message_0 dropped"))
    }

    @Test func keysCountersAuditAndTranslationsGoInBatches() async throws {
        let bench = try await Bench.make()
        try await bench.database.script(
            """
            INSERT INTO push.dedupe (hub, key, id, at) SELECT \(bench.hub), 'old' || g, g, now() - interval '8 days' FROM generate_series(1, 25) g;
            INSERT INTO push.dedupe (hub, key, id, at) SELECT \(bench.hub), 'new' || g, g, now() - interval '6 days' FROM generate_series(1, 5) g;
            INSERT INTO push.tally SELECT \(bench.hub), now() - interval '31 days' - g * interval '1 minute', 'accepted', 'taken_by_hub', 1 FROM generate_series(1, 25) g;
            INSERT INTO push.tally SELECT \(bench.hub), now() - g * interval '1 minute', 'accepted', 'taken_by_hub', 1 FROM generate_series(1, 5) g;
            INSERT INTO push.audit (at, action) SELECT now() - interval '2 years', 'x' FROM generate_series(1, 25) g;
            """)
        #expect(Set(try await Self.purge(bench, batch: 10)) == ["keys deleted", "tally deleted", "audit deleted"])
        #expect(try await bench.count("dedupe") == 5)
        #expect(try await bench.count("tally") == 5)
        #expect(try await bench.test.number("SELECT count(*) FROM push.audit WHERE action = 'x'") == 0)
    }

    @Test func translationsGoWithTheirMessages() async throws {
        let bench = try await Bench.make()
        let ids = try await bench.translate(["en", "fr"])
        let claim = try #require(try await bench.claim())
        try await bench.intend([ids], under: claim.id)
        try await bench.complete([.accepted(claim.post(1))], finished: [claim.id])
        _ = try await Self.old(bench)
        try await bench.insert(1)
        #expect(try await bench.count("translation") == 2)
        #expect(try await Self.purge(bench).contains("translation deleted"))
        #expect(try await bench.count("translation") == 0)
    }
}
