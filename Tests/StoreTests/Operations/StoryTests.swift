import Postgres
import Store
import TestSupport
import Testing

/// push.story_of: the steps of one message.
@Suite(.timeLimit(.minutes(10))) struct StoryTests {
    private static func steps(_ store: StoreFixture, _ id: Int64) async throws -> [String] {
        try await store.messages.story(of: id).steps.map(\.step)
    }

    @Test func aMessageThatIsTakenTellsEachStepInItsOrder() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        #expect(try await Self.steps(store, ids[0]) == ["inserted", "due"])
        let claim = try #require(try await store.claim())
        let held = try await store.messages.story(of: ids[0]).steps
        #expect(held.map(\.step) == ["inserted", "due", "claimed"])
        #expect(held.last?.worker == "host/1")
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        let posted = try #require(try await store.messages.story(of: ids[0]).steps.last)
        #expect(posted.step == "posted" && posted.post == claim.post(1) && posted.request == 1)
        #expect(posted.worker == "host/1")
        try await store.complete(
            [.accepted(claim.post(1)), .retrying(claim.post(2), after: 60)], finished: [claim.id])
        let taken = try await store.messages.story(of: ids[0]).steps
        // A claim is deleted with its last message: who had it is not recorded.
        #expect(taken.map(\.step) == ["inserted", "due", "posted", "answered", "ended"])
        #expect(taken[3].status == "accepted" && taken[3].http == 201 && taken[3].trackingID == "t-\(claim.post(1))")
        #expect(taken[4].status == "accepted" && taken[4].reason == "taken_by_hub" && taken[4].post == claim.post(1))
        let retried = try await store.messages.story(of: ids[1]).steps
        #expect(retried.map(\.step) == ["inserted", "due", "posted", "answered", "retrying"])
        #expect(retried[3].status == "unavailable" && retried[3].http == 503)
        #expect(retried[4].reason == "unavailable" && retried[4].class == "provider" && retried[4].until != nil)
    }

    @Test func aSecondRequestSaysThatItIsTheSecond() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(3)
        for _ in 1...2 {
            let claim = try #require(try await store.claim())
            try await store.intend([ids], under: claim.id)
            try await store.complete([.retrying(claim.post(1))], finished: [claim.id])
        }
        let steps = try await store.messages.story(of: ids[0]).steps
        #expect(
            steps.map(\.step) == [
                "inserted", "due", "posted", "answered", "retrying", "posted", "answered", "retrying",
            ])
        #expect(steps.map(\.request) == [nil, nil, 1, 1, 1, 2, 2, 2])
        #expect(steps[2].note == "with 2 other messages")
    }

    /// What one person does, and the note of it, by name.
    @Test func whatPeopleDidNamesThem() async throws {
        let store = try await StoreFixture.make()
        let console = try await Console.make(on: store.test)
        let ids = try await store.insert(4)
        let claim = try #require(try await store.claim(2))
        try await store.intend([[ids[0]], [ids[1]]], under: claim.id)
        _ = try await store.workers.rescue(store.queue.worker)
        try await console.act("anna", as: "operator", "SELECT push.resolve(ARRAY[\(ids[0])], 'resend')::text")
        try await console.act("anna", as: "operator", "SELECT push.resolve(ARRAY[\(ids[1])], 'rejected')::text")
        try await console.act("bert", as: "operator", "SELECT push.retry(ARRAY[\(ids[1])])::text")
        try await console.act("cleo", as: "operator", "SELECT push.cancel(\(ids[2]))")
        try await console.act("dora", as: "operator", "SELECT outcome FROM push.erase(ARRAY[\(ids[3])])")
        let people = try await ids.asyncSteps(store)
        #expect(people[0].suffix(2) == ["ended", "decided by anna"])
        #expect(people[1].suffix(3) == ["ended", "decided by anna", "sent again by bert"])
        #expect(people[2].last == "cancelled by cleo")
        #expect(people[3].suffix(2) == ["cancelled by dora", "erased by dora"])
        #expect(people[0].first?.hasPrefix("inserted by ") == true)
    }

    @Test func aWaitSaysForWhatAndHowLong() async throws {
        let store = try await StoreFixture.make()
        let first = try await store.insert()[0]
        let waiting = try await store.database.query(
            """
            INSERT INTO push.message (hub, tag, content, after) VALUES ('news', 'a', '{"message": "hi"}', \(first)) RETURNING id
            """
        ) { rows in try rows.single { row in try row.int64() } }
        let steps = try await store.messages.story(of: waiting).steps
        #expect(steps.map(\.step) == ["inserted", "waiting"] && steps[1].note == "for message \(first)")
        #expect(steps[1].until != nil)
        _ = try await store.messages.cancel(first)
        let claim = try #require(try await store.claim())
        #expect(claim.messages.map(\.id) == [waiting])
        #expect(try await Self.steps(store, waiting) == ["inserted", "waiting", "due", "claimed"])

        let later = try await store.database.query(
            """
            INSERT INTO push.message (hub, tag, content, send_at)
            VALUES ('news', 'a', '{"message": "hi"}', now() + interval '1 h') RETURNING id
            """
        ) { rows in try rows.single { row in try row.int64() } }
        #expect(try await Self.steps(store, later) == ["inserted", "scheduled"])
    }

    @Test func translationsAndKeysAreNamed() async throws {
        let store = try await StoreFixture.make(settling: 3_600_000)
        let ids = try await store.translate(["en", "fr"])
        let inserted = try await store.messages.story(of: ids[1]).steps[0]
        #expect(inserted.note == "one of 2 translations that are sent together")
        let keyed = try await store.keyed("en")
        let steps = try await store.messages.story(of: keyed).steps
        #expect(steps.map(\.step) == ["inserted", "waiting"] && steps[1].note == "for the translations of its content")
    }

    @Test func whatAMessageGoesWithIsNamed() async throws {
        let store = try await StoreFixture.make(settling: 3_600_000)
        let ids = try await store.translate(["en", "fr"])
        #expect(try await store.messages.context(of: ids[1]) == MessageContext(translations: [ids[0]]))
        let mates = try await store.insert(2)
        let claim = try #require(try await store.claim())
        try await store.intend([claim.messages.map(\.id)], under: claim.id)
        #expect(try await store.messages.context(of: mates[0])?.mates.contains(mates[1]) == true)
        #expect(try await store.messages.context(of: 4711) == nil)
    }

    @Test func anUnknownMessageHasNoStory() async throws {
        let store = try await StoreFixture.untouched
        #expect(try await store.messages.story(of: 4711).steps.isEmpty)
    }

    /// As a console asks; and neither the content nor a handle is in any column.
    @Test func aReadOnlyTransactionOfAMonitorSeesNoContent() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            #"""
            INSERT INTO push.message (hub, handles, format, content)
            VALUES ('news', '{5ec4e75ec4e7}', 'apple', '{"aps": {"alert": "secret text"}}');
            """#)
        let claim = try #require(try await store.claim())
        try await store.intend([claim.messages.map(\.id)], under: claim.id)
        let monitor = try await store.test.login(as: "push_monitor")
        let rows = try await monitor.database.withTransaction { connection in
            try await connection.execute("SET TRANSACTION READ ONLY")
            return try await connection.query("SELECT s::text FROM push.story_of(\(claim.messages[0].id)) s") { rows in
                try rows.map { row in try row.string() }
            }
        }
        #expect(rows.count == 4 && !rows.contains { $0.contains("secret") || $0.contains("5ec4e7") })
    }
}

extension [Int64] {
    /// The steps of each message, with the person of those that have one.
    fileprivate func asyncSteps(_ store: StoreFixture) async throws -> [[String]] {
        var all: [[String]] = []
        for id in self {
            all.append(
                try await store.messages.story(of: id).steps.map { step in
                    step.person.map { "\(step.step) by \($0)" } ?? step.step
                })
        }
        return all
    }
}
