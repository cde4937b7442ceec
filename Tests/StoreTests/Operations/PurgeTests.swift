import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// What is old and final goes, whether its partition is full or not. Open messages stay, alone, and are named.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PurgeTests {
    @Test func contentsThatOldGoAlsoFromAPartitionThatIsNotFull() async throws {
        let store = try await StoreFixture.make()
        try await store.send(3, answered: Completion.Answered.rejected)
        try await store.age(50)
        let young = try await store.send(2, answered: Completion.Answered.rejected)
        try await store.age(10)
        #expect(try await store.purge() == ["message deleted 3", "post deleted 3"])
        #expect(try await store.ids("message") == young)
        #expect(try await store.ids("result") == young)
        #expect(try await store.count("post") == 2)
        #expect(try await store.count("answer") == 2)
        #expect(try await store.lost() == [])
        #expect(try await store.purge() == [])
        #expect(try await store.insert().count == 1)
    }

    @Test func wholePartitionsAreDroppedWithWhatBelongsToThem() async throws {
        let store = try await StoreFixture.make()
        try await store.send(2)
        try await store.age(20)
        try await store.nextPartition()
        try await store.send(1)
        try await store.age(40)
        #expect(
            try await store.purge() == [
                "message_0 dropped", "result_0 dropped", "message deleted 1", "post_0 dropped", "answer_0 dropped",
                "post deleted 1",
            ])
        #expect(try await store.count("message") == 0)
        #expect(try await store.count("answer") == 0)
        #expect(try await store.lost() == [])
        #expect(try await Schema(database: store.database).verify() == [])
        let fresh = try await store.send(2)
        #expect(try await store.status(fresh[0]) == "accepted")
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'purge'") > 3)
    }

    /// A partition that fills in less than a day costs no DELETE per row.
    @Test func aPartitionThatFilledInADayWaitsUntilAllOfItIsOld() async throws {
        let store = try await StoreFixture.make()
        try await store.send(2)
        try await store.age(0.5)
        try await store.send(1)
        try await store.nextPartition()
        try await store.age(29.7)
        let kept = try await store.purge()
        #expect(kept.first?.hasPrefix("message_0 kept: is dropped whole at ") == true, "\(kept)")
        #expect(try await store.count("message") == 3)
        #expect(try await store.count("post") == 3)
        try await store.age(0.4)
        #expect(try await store.purge().prefix(2) == ["message_0 dropped", "result_0 dropped"])
        #expect(try await store.count("post") == 0)
    }

    @Test(arguments: ["pending", "held by a worker", "in doubt"])
    func anOpenMessageStaysAloneAndIsNamed(why: String) async throws {
        for full in [false, true] {
            let store = try await StoreFixture.make()
            let open = try await store.test.number(
                """
                INSERT INTO push.message (hub, tag, content, send_at)
                VALUES ('news', 'a', '{}', now() + \(why == "pending" ? "1 year" : "-1 min")::interval) RETURNING id
                """)
            switch why {
            case "held by a worker": _ = try #require(try await store.claim())
            case "in doubt":
                try await store.database.execute("DELETE FROM push.due")
                try await store.database.execute(
                    "INSERT INTO push.result (id, status, reason) VALUES (\(open), 'in_doubt', 'worker_lost')")
            default: break
            }
            try await store.send(2)
            try await store.age(20)
            if full { try await store.nextPartition() }
            try await store.send(1)
            try await store.age(40)
            let done = try await store.purge()
            #expect(done.contains("message deleted 3"), "\(done)")
            #expect(done.contains("message kept 1: 1 \(why) (such as \(open))"), "\(done)")
            #expect(try await store.ids("message") == [open])
            #expect(try await store.ids("result") == (why == "in doubt" ? [open] : []))
            if why == "pending" { #expect(try await store.status(open) == "scheduled") }
        }
    }

    @Test func aMessageStaysForSoLongAfterItsResult() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.send(2)
        try await store.age(60)
        try await store.database.execute("UPDATE push.result SET at = now() - interval '29 days' WHERE id = \(ids[0])")
        let done = try await store.purge()
        #expect(done.first == "message deleted 1")
        #expect(done.last == "post kept 1: of messages that are kept")
        #expect(done.contains { $0.hasPrefix("message kept 1: 1 not final for so long") }, "\(done)")
        #expect(try await store.ids("message") == [ids[0]])
    }

    /// A bug somewhere; `push.lost` names the message, and so it must be there.
    @Test func aMessageThatIsNowhereStays() async throws {
        let store = try await StoreFixture.make()
        let id = try await store.insert()[0]
        try await store.database.execute("DELETE FROM push.due")
        try await store.age(20)
        try await store.nextPartition()
        try await store.send(1)
        try await store.age(40)
        #expect(try await store.purge().first == "message deleted 1")
        #expect(try await store.lost() == ["\(id): is nowhere"])
    }

    @Test func aPostStaysWhileOneOfItsMessagesDoes() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.rejected(claim.post(1))], finished: [claim.id])
        #expect(try await store.test.number("SELECT push.retry(ARRAY[\(ids[1])]::bigint[])") == 1)
        try await store.age(60)
        #expect(try await store.purge().first == "message deleted 1")
        #expect(try await store.ids("message") == [ids[1]])
        #expect(try await store.count("post") == 1)
        #expect(try await store.count("answer") == 1)
        #expect(try await store.status(ids[1]) == "retrying")
    }

    @Test func translationsGoTogether() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        try await store.complete([.accepted(claim.post(1)), .accepted(claim.post(2))], finished: [claim.id])
        try await store.age(60)
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) VALUES (\(ids[1]), 'rejected', 'resolved')")
        #expect(try await store.purge().contains { $0.hasPrefix("message kept 2: ") })
        #expect(try await store.count("translation") == 2)
        try await store.age(31)
        #expect(try await store.purge().first == "message deleted 2")
        #expect(try await store.count("translation") == 0)
    }

    @Test func translationsOfADroppedPartitionGoLater() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.translate(["en", "fr"])
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        try await store.age(20)
        try await store.nextPartition()
        try await store.send(1)
        try await store.age(40)
        let done = try await store.purge()
        #expect(done.contains("message_0 dropped") && done.contains("translation deleted 2"), "\(done)")
        #expect(try await store.count("translation") == 0)
    }

    @Test func aContentKeyKeepsItsMessagesUntilItIsForgotten() async throws {
        let store = try await StoreFixture.make()
        let ids = [try await store.keyed("en"), try await store.keyed("fr")]
        try await store.settle()
        let claim = try #require(try await store.claim())
        try await store.intend([ids], under: claim.id)
        try await store.complete([.accepted(claim.post(1))], finished: [claim.id])
        try await store.age(60)
        try await store.database.execute("UPDATE push.hub SET keep_content = interval '90 days'")
        #expect(try await store.purge().contains { $0.hasPrefix("message kept 2: ") })
        try await store.database.execute("UPDATE push.hub SET keep_content = interval '1 day'")
        let done = try await store.purge()
        #expect(done.prefix(2) == ["keys deleted 2", "message deleted 2"], "\(done)")
        #expect(try await store.count("content") == 0)
        #expect(try await store.count("content_taken") == 0)
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
        #expect(try await store.purge(batch: 10) == ["keys deleted 25", "tally deleted 25", "audit deleted 25"])
        #expect(try await store.count("dedupe") == 5)
        #expect(try await store.count("tally") == 5)
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'x'") == 0)
    }

    @Test func aCallDeletesABatchAndTheNextGoesOn() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(1)  // pending: looked at once, and not by each call
        try await store.database.execute("UPDATE push.due SET due_at = now() + interval '1 year'")
        try await store.send(25)
        try await store.age(60)
        var deleted: [Int64] = []
        for _ in 1...3 {
            deleted += try await store.purgeOnce(batch: 10).compactMap { $0.what == "message" ? $0.n : nil }
        }
        #expect(deleted == [9, 10, 6])
        #expect(try await store.count("message") == 1)
    }

    /// Else what became old after a pass was begun would wait for the pass after the next.
    @Test func aPassThatWasLeftUnfinishedIsFinishedAndAnotherBegins() async throws {
        let store = try await StoreFixture.make()
        try await store.send(3)
        try await store.age(29)
        try await store.insert(1)
        try await store.database.execute("UPDATE push.due SET due_at = now() + interval '1 year'")
        #expect(try await store.purge() == [])
        // Yesterday a pass came to the posts and was ended there.
        try await store.database.execute(
            "UPDATE push.retention SET parent = 'post', mark = 77, pass_began = now() - interval '1 day'")
        try await store.age(2)
        #expect(try await store.purge() == ["message deleted 3", "post deleted 3"])
    }
}
