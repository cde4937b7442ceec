import Postgres
import Store
import TestSupport
import Testing

/// push.groups_of_failures_v1 and push.groups_of_doubts_v1: many messages with one cause are one line.
@Suite(.timeLimit(.minutes(10))) struct FailureGroupsTests {
    /// Two causes at one hub, one of them in a campaign, too; one that expired, one that was sent again, and doubts.
    private static func make() async throws -> (store: StoreFixture, ids: [Int64]) {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(12)
        try await store.database.script(
            """
            SET session_replication_role = replica;
            UPDATE push.message SET campaign = 'spring' WHERE id = \(ids[3]);
            SET session_replication_role = origin;
            INSERT INTO push.result (id, status, reason, note) VALUES
                (\(ids[0]), 'rejected', 'bad_request', 'no template "a" at 10:15:00, request 8d2f-1'),
                (\(ids[1]), 'rejected', 'bad_request', 'no template "b" at 10:15:07, request 77aa-2'),
                (\(ids[2]), 'rejected', 'bad_request', 'the payload is too odd'),
                (\(ids[3]), 'rejected', 'bad_request', 'the payload is too odd'),
                (\(ids[4]), 'rejected', 'bad_request', 'the payload is too odd'),
                (\(ids[5]), 'expired', 'expired', NULL), (\(ids[6]), 'expired', 'expired', NULL),
                (\(ids[7]), 'expired', 'expired', NULL);
            INSERT INTO push.result (id, status, reason) VALUES (\(ids[4]), 'retrying', 'resolved');
            INSERT INTO push.post (id, bytes, hub, ids) VALUES (70001, 1, \(store.hub), ARRAY[\(ids[8])]);
            INSERT INTO push.answer (post, milliseconds, verdict, error) VALUES (70001, 1, 'unknown', 'connection reset');
            INSERT INTO push.result (id, post, status, reason, note) VALUES
                (\(ids[8]), 70001, 'in_doubt', 'answer_lost', NULL), (\(ids[9]), NULL, 'in_doubt', 'worker_lost', 'The worker ended'),
                (\(ids[10]), NULL, 'in_doubt', 'worker_lost', 'The worker ended'), (\(ids[11]), NULL, 'in_doubt', 'worker_lost', 'x');
            INSERT INTO push.result (id, status, reason) VALUES (\(ids[11]), 'accepted', 'resolved');
            """)
        return (store, ids)
    }

    @Test func aGroupHasOneCauseAndNamesItsNewestMessage() async throws {
        let (store, ids) = try await Self.make()
        let found = try await store.messages.failureGroups()
        #expect(found.looked == 8 && !found.more && found.lookedBackTo != nil)
        let lines = found.groups.map {
            "\($0.messages) \($0.status) \($0.campaign ?? "-") \($0.note ?? "-") \($0.example)"
        }
        #expect(
            lines == [
                "3 expired - - \(ids[7])",
                "2 rejected - no template \"b\" at 10:15:07, request 77aa-2 \(ids[1])",
                "1 rejected spring the payload is too odd \(ids[3])", "1 rejected - the payload is too odd \(ids[2])",
            ])
        #expect(
            found.groups[1].class == "content" && found.groups.allSatisfy { $0.hub == "news" && $0.first <= $0.last })
    }

    @Test func doubtsThatAreDecidedDoNotCount() async throws {
        let (store, ids) = try await Self.make()
        let found = try await store.messages.doubtGroups()
        #expect(
            found.groups.map { "\($0.messages) \($0.reason) \($0.note ?? "-") \($0.example)" } == [
                "2 worker_lost The worker ended \(ids[10])", "1 answer_lost connection reset \(ids[8])",
            ])
        #expect(found.looked == 4 && !found.more)
    }

    @Test func itSaysWhetherThereAreMore() async throws {
        let (store, ids) = try await Self.make()
        let found = try await store.messages.failureGroups(limit: 3)
        #expect(found.looked == 3 && found.more && found.groups.map(\.example) == [ids[7]])
        let doubts = try await store.messages.doubtGroups(limit: 2)
        #expect(doubts.looked == 2 && doubts.more)
        // 100 are looked at in any case, whatever the budget.
        #expect(try await store.messages.failureGroups(milliseconds: 1).looked == 8)
        let fewer = try await store.test.texts(
            "SELECT coalesce(messages, looked)::text FROM push.groups_of_failures_v1(groups => 1)")
        #expect(fewer == ["3", "8"])
    }

    /// Of a message that was in doubt twice, only the newest doubt counts, also where a page ends between both.
    @Test func aSecondDoubtOfAMessageIsNotLostBetweenPages() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(600)
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) SELECT unnest(\(ids)), 'in_doubt', 'worker_lost'")
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) SELECT unnest(\(ids)), 'in_doubt', 'answer_lost'")
        let found = try await store.messages.doubtGroups(milliseconds: 60_000)
        #expect(found.groups.map { "\($0.messages) \($0.reason)" } == ["600 answer_lost"] && found.looked == 1200)
    }

    @Test func anEmptyDatabaseHasNoGroups() async throws {
        let store = try await StoreFixture.untouched
        #expect(try await store.messages.failureGroups() == FailureGroups())
        #expect(try await store.messages.doubtGroups() == FailureGroups())
    }

    @Test(arguments: ["failures", "doubts"]) func aWrongBoundIsRefused(_ what: String) async throws {
        let store = try await StoreFixture.untouched
        for arguments in ["0", "NULL", "1, 0", "1, 1, 1001"] {
            let error = await #expect(throws: DatabaseError.self) {
                try await store.database.execute("SELECT push.groups_of_\(raw: what)_v1(\(raw: arguments))")
            }
            #expect(error?.message.hasPrefix("push.groups_of_\(what)_v1: at_most ") == true)
            #expect(error?.hint?.contains("1 to 100000") == true)
        }
    }

    @Test func aReadOnlyTransactionOfAMonitorMayAsk() async throws {
        let (store, _) = try await Self.make()
        let monitor = try await store.test.login(as: "push_monitor")
        let rows = try await monitor.database.withTransaction { connection in
            try await connection.execute("SET TRANSACTION READ ONLY")
            return try await connection.query(
                "SELECT looked FROM push.groups_of_failures_v1() UNION ALL SELECT looked FROM push.groups_of_doubts_v1()"
            ) { $0.count }
        }
        #expect(rows == 8)
    }
}
