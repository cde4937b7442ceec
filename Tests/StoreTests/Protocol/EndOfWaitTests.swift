import Concurrency
import Postgres
import PushModel
import Store
import TestSupport
import Testing

/// When a message that waits is sent: as soon as what it waits for is there, and never later than it may wait.
@Suite(.serialized, .timeLimit(.minutes(10))) struct EndOfWaitTests {
    private func enqueue(
        _ store: StoreFixture, after: Int64? = nil, device: String? = nil, atMost: String? = nil,
        expiresAt: String? = nil
    ) async throws -> Int64 {
        try await store.test.number(
            """
            INSERT INTO push.message (hub, tag, content, after, after_device, after_at_most, expires_at)
            VALUES ('news', 'second', '{"message": "hi"}', \(after), \(device), \(atMost)::interval, \(expiresAt)::timestamptz)
            RETURNING id
            """)
    }

    /// Makes the next look come now.
    private func look(_ store: StoreFixture) async throws -> [Int64] {
        try await store.database.execute("UPDATE push.waiting SET look_at = now() - interval '1 s'")
        return try await store.claim()?.messages.map(\.id).sorted() ?? []
    }

    /// Makes every wait begin, and so end, earlier, as if time had passed.
    private func pass(_ seconds: Int, in store: StoreFixture) async throws {
        try await store.database.withTransaction { connection in
            try await connection.execute("SET LOCAL session_replication_role = replica")
            try await connection.script(
                """
                UPDATE push.message SET created_at = created_at - interval '\(seconds) s',
                                        send_at = send_at - interval '\(seconds) s',
                                        expires_at = expires_at - interval '\(seconds) s'
                 WHERE num_nonnulls(after, after_device) > 0;
                UPDATE push.due d SET due_at = push.due_at_of(id);
                UPDATE push.waiting SET due_at = due_at - interval '\(seconds) s',
                                        since = since - interval '\(seconds) s',
                                        until = until - interval '\(seconds) s',
                                        look_at = look_at - interval '\(seconds) s';
                """)
        }
    }

    private func note(_ store: StoreFixture, _ id: Int64) async throws -> String {
        let notes = try await store.test.texts("SELECT note FROM push.result WHERE id = \(id) AND reason = 'waited'")
        return notes.joined(separator: "|").replacing(#/\d+\.\d s/#, with: "n s")
    }

    @Test(arguments: ["accepted", "rejected", "cancelled", "expired"])
    func itGoesWhenTheEarlierOneHasEndedHoweverThatEnded(_ ending: String) async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        if ending == "cancelled" {
            try await store.database.execute("SELECT push.cancel(\(first))")
        } else {
            let claim = try #require(try await store.claim())
            #expect(claim.messages.map(\.id) == [first])
            #expect(try await look(store) == [])
            switch ending {
            case "expired":
                try await store.complete(
                    left: [.init(claim: claim.id, message: first, outcome: MessageOutcome(.expired, .expired))],
                    finished: [claim.id])
            default:
                try await store.intend([[first]], under: claim.id)
                try await store.complete(
                    [ending == "accepted" ? .accepted(claim.post(1)) : .rejected(claim.post(1))], finished: [claim.id])
            }
        }
        #expect(try await look(store) == [second])
        #expect(try await note(store, second) == "Waited n s for message \(first): \(ending).")
        #expect(try await store.results(second) == ["retrying/waited"])
        #expect(try await store.count("waiting") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func aRetriedEarlierOneIsStillWaitedFor() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        let claim = try #require(try await store.claim())
        try await store.intend([[first]], under: claim.id)
        try await store.complete([.retrying(claim.post(1), after: 600)], finished: [claim.id])
        #expect(try await look(store) == [])
        #expect(try await store.status(second) == "waiting")
        #expect(try await store.messages.status(of: second)?.note == "waits for message \(first)")
    }

    @Test func whatEndedBeforeIsWaitedForNoTimeAtAll() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        try await store.database.execute("SELECT push.cancel(\(first))")
        let second = try await enqueue(store, after: first)
        #expect(try await store.claim()?.messages.map(\.id) == [second])
    }

    @Test func itGoesWithoutWhatDoesNotComeInTime() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        try await store.put("ines")
        try await store.patch("ines")
        let ids = [
            try await enqueue(store, after: first, atMost: "10 s"),
            try await enqueue(store, device: "ines", atMost: "10 s"),
        ]
        try await pass(9, in: store)
        #expect(try await look(store) == [first])
        try await pass(2, in: store)
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id).sorted() == ids)
        #expect(
            try await note(store, ids[0])
                == "Waited n s for message \(first), which has no final result; then it went without.")
        #expect(try await note(store, ids[1]) == "Waited n s for 2 changes of device ines; then it went without.")
        #expect(claim.messages.allSatisfy { $0.attempt == 0 })
    }

    @Test func anExpiryEndsTheWait() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(
            store, after: first, atMost: "1 day",
            expiresAt: try await store.test.texts("SELECT (now() + interval '1 min')::text")[0])
        try await pass(61, in: store)
        let claim = try #require(try await store.claim())
        #expect(claim.messages.contains { $0.id == second && $0.expiresAt < SystemClock.monotonicSeconds() })
        #expect(
            try await note(store, second)
                == "Waited n s for message \(first), which has no final result; then it expired.")
    }

    @Test func whatIsAppliedAtADeviceEndsTheWaitAtOnce() async throws {
        let store = try await StoreFixture.make()
        try await store.put("ines")
        let id = try await enqueue(store, device: "ines")
        let taken = try await store.take()
        #expect(try await store.claim() == nil)  // the first look: next in 0.1 s at the earliest
        try await store.database.execute("UPDATE push.waiting SET look_at = now() + interval '5 s'")
        try await store.finish(taken)
        #expect(try await store.queue.look([.init(hub: store.hub, priority: .normal, position: .start)]) == [0])
        #expect(try await store.claim()?.messages.map(\.id) == [id])
        #expect(try await note(store, id) == "Waited n s for the changes of device ines: applied.")
    }

    @Test func aRefusedChangeEndsTheWaitToo() async throws {
        let store = try await StoreFixture.make()
        try await store.patch("ines")
        let id = try await enqueue(store, device: "ines")
        try await store.finish(try await store.take(), .refused)
        #expect(try await look(store) == [id])
        #expect(try await note(store, id) == "Waited n s for the changes of device ines: refused.")
    }

    @Test func laterChangesAreNotWaitedFor() async throws {
        let store = try await StoreFixture.make()
        try await store.put("ines")
        let id = try await enqueue(store, device: "ines")
        try await store.finish(try await store.take())
        try await store.patch("ines")
        #expect(try await look(store) == [id])
    }

    /// What replaced the change is what puts the phone there.
    @Test func aReplacedChangeIsThereWhenTheOneThatReplacedItIs() async throws {
        let store = try await StoreFixture.make()
        try await store.put("ines")
        let id = try await enqueue(store, device: "ines")
        try await store.put("ines")
        let taken = try await store.take()
        let changes = taken[0].changes.map(\.id)
        try await store.devices.complete([
            .init(
                claim: taken[0].claim,
                outcomes: [DeviceOutcome(changes[0], .superseded), DeviceOutcome(changes[1], .retrying, delay: 0)])
        ])
        #expect(try await look(store) == [])
        #expect(try await store.messages.status(of: id)?.note == "waits for 1 change of device ines")
        try await store.finish(try await store.take())
        #expect(try await look(store) == [id])
    }

    @Test func aWaitBeginsWhenTheMessageMayBeSent() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let id = try await store.test.number(
            """
            INSERT INTO push.message (hub, tag, content, after, send_at)
            VALUES ('news', 'a', '{"message": "hi"}', \(first), now() + interval '1 hour') RETURNING id
            """)
        #expect(try await store.status(id) == "scheduled")
        try await store.database.execute("SELECT push.cancel(\(first))")
        #expect(try await store.claim() == nil)
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 7200) == 0)
        try await pass(3600, in: store)
        #expect(try await store.status(id) == "waiting")
        #expect(try await store.claim()?.messages.map(\.id) == [id])
    }

    @Test func aMessageThatWaitsCanBeCancelledErasedAndItsWaitIsForgotten() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let ids = [try await enqueue(store, after: first), try await enqueue(store, after: first)]
        #expect(try await store.test.texts("SELECT push.cancel(\(ids[0]))") == ["cancelled"])
        #expect(try await store.test.texts("SELECT outcome FROM push.erase(ARRAY[\(ids[1])])") == ["erased"])
        #expect(try await store.test.texts("SELECT outcome FROM push.erase(ARRAY[\(first)])") == ["erased"])
        #expect(try await look(store) == [])
        #expect(try await store.count("waiting") == 0)
        #expect(try await store.count("due") == 0)
        #expect(try await store.lost() == [])
    }

    @Test func theOthersOfAContentWaitOnWhenOneIsCancelled() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let ids = try await store.database.query(
            """
            INSERT INTO push.message (hub, tag, locale, content, after) VALUES
                ('news', 'a', 'en', '{"message": "hi"}', \(first)), ('news', 'a', 'fr', '{"message": "salut"}', \(first)),
                ('news', 'a', 'zh-Hans', '{"message": "你好"}', \(first)) RETURNING id
            """
        ) { rows in try rows.map { row in try row.int64() } }
        #expect(try await store.test.texts("SELECT push.cancel(\(ids[0]))") == ["cancelled"])
        #expect(try await store.status(ids[2]) == "waiting")
        #expect(try await store.lost() == [])
        try await store.database.execute("SELECT push.cancel(\(first))")
        #expect(try await look(store) == [ids[1], ids[2]])
        for id in ids[1...] { #expect(try await store.results(id) == ["retrying/waited"]) }
        #expect(try await store.lost() == [])
    }

    @Test func aRescuedMessageThatWaitedIsDueAgain() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        try await store.database.execute("SELECT push.cancel(\(first))")
        let claim = try #require(try await store.claim())
        _ = try await store.workers.rescue(claims: [claim.id])
        #expect(try await store.lost() == [])
        #expect(try await store.claim()?.messages.map(\.id) == [second])
    }

    @Test func aPurgedEarlierOneIsNotWaitedFor() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        try await store.database.execute("SELECT push.cancel(\(first))")
        try await store.delete([first])
        try await store.database.execute("DELETE FROM push.result WHERE id = \(first)")
        #expect(try await look(store) == [second])
        #expect(try await note(store, second) == "Waited n s for message \(first), which was purged.")
    }

    /// Rows that are lost, or wrong, cost time and no message.
    @Test(arguments: [
        "DELETE FROM push.waiting", "UPDATE push.waiting SET hub = 99",
        "UPDATE push.waiting SET due_at = due_at + interval '1 h'",
        "UPDATE push.waiting SET look_at = 'infinity'", "UPDATE push.waiting SET after = NULL, device = NULL",
    ])
    func whateverIsWrongWithTheWaitTheMessageGoesAtItsEnd(_ damage: String) async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        try await store.database.script(damage)
        #expect(try await store.lost() == [])
        #expect(try await store.status(second) != nil)
        try await pass(66, in: store)
        #expect(try await store.claim()?.messages.map(\.id).contains(second) == true)
        #expect(try await store.lost() == [])
    }

    @Test func twoWorkersEndAWaitOnce() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let n = 300
        for _ in 1...n { _ = try await enqueue(store, after: first) }
        try await store.database.execute("SELECT push.cancel(\(first))")
        let claimed = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 1...4 {
                let queue = try await store.another()
                group.addTask {
                    var ids: [Int64] = []
                    while try await store.count("due") > 0 {
                        ids += try await store.claim(20, by: queue)?.messages.map(\.id) ?? []
                    }
                    return ids
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claimed.count == n)
        #expect(Set(claimed).count == n)
        #expect(try await store.test.number("SELECT count(*) FROM push.result WHERE reason = 'waited'") == Int64(n))
        #expect(try await store.lost() == [])
    }

    @Test func aLaneThatRestsIsWokenByAWait() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        _ = try await store.claim()
        _ = try await enqueue(store, after: first)
        #expect(try await store.queue.dueLanes().count == 1)
        #expect(try await store.claim() == nil)
        #expect(try await store.test.number("SELECT count(*) FROM push.waiting WHERE look_at > since") == 1)
        try await store.database.execute("UPDATE push.waiting SET look_at = now() + interval '1 h'")
        #expect(try await store.queue.dueLanes().isEmpty)
    }

    @Test func aWaitingMessageIsNotDueAndADrainWaitsForIt() async throws {
        let store = try await StoreFixture.make()
        try await store.put("ines")
        try await store.finish(try await store.take())
        try await store.put("ines")
        let id = try await enqueue(store, device: "ines", atMost: "1 h")
        #expect(try await store.test.texts("SELECT due || ' ' || later FROM push.backlog") == ["0 1"])
        #expect(try await store.test.texts("SELECT push.backlog_for_scaling('news')::text") == ["0"])
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 60) == 1)  // the change
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 7200) == 2)
        try await store.finish(try await store.take())
        // It goes as soon as somebody looks.
        #expect(try await Backlog.count(in: store.database, hubs: ["news"], within: 60) == 1)
        #expect(try await Backlog.next(in: store.database, hubs: ["news"], within: 60).map { $0 <= 0 } == true)
        #expect(try await look(store) == [id])
    }

    @Test func aHubIsRemovedWithWhatItsMessagesWaitedFor() async throws {
        let store = try await StoreFixture.make()
        try await store.put("ines")
        try await store.finish(try await store.take())
        let id = try await enqueue(store, device: "ines")
        await #expect(throws: DatabaseError.self) { try await store.database.execute("SELECT push.remove_hub('news')") }
        try await store.database.execute("SELECT push.cancel(\(id))")
        try await store.database.execute("SELECT push.remove_hub('news')")
        #expect(try await store.count("waiting") == 0)
    }

    @Test func messagesThatWaitAreFound() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert(1)[0]
        let second = try await enqueue(store, after: first)
        #expect(
            try await store.test.texts("SELECT id::text FROM push.find_messages(status => 'waiting')") == ["\(second)"])
        let monitor = try await store.test.login(as: "push_monitor")
        #expect(
            try await monitor.texts("SELECT status || ' ' || note FROM push.message_status WHERE id = \(second)")
                == ["waiting waits for message \(first)"])
    }
}
