import Postgres
import PushModel
import Store
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct RemoveHubTests {
    private static let remove: SQL = "SELECT push.remove_hub('news')"

    private func refusal(of sql: SQL, on store: StoreFixture) async -> DatabaseError? {
        await #expect(throws: DatabaseError.self) { try await store.database.execute(sql) }
    }

    @Test func nothingIsEnqueuedForARemovedHub() async throws {
        let store = try await StoreFixture.make()
        try await store.insert(2)
        let pending = await refusal(of: Self.remove, on: store)
        #expect(pending?.message == "hub \"news\" has 2 pending messages")
        #expect(pending?.hint?.contains("push.cancel_hub('news')") == true)

        try await store.database.execute("SELECT push.cancel_hub('news')")
        try await store.database.execute(Self.remove)
        let plain = try #require(
            await refusal(
                of: #"INSERT INTO push.message (hub, tag, content) VALUES ('news', 'a', '{"m": "x"}')"#, on: store))
        #expect(plain.message.contains("push.message.hub \"news\" was removed by "))
        #expect(plain.hint?.contains("fanfare migrate up") == true)
        let unusual = await refusal(
            of: #"INSERT INTO push.message (hub, tag, locale, content) VALUES ('news', 'a', 'en', '{"m": "x"}')"#,
            on: store)
        #expect(unusual?.message == plain.message)
        #expect(await refusal(of: Self.remove, on: store)?.message == "hub \"news\" was removed already")
        #expect(try await store.test.texts("SELECT hub FROM push.hub_health") == [])
        #expect(try await store.test.texts("SELECT DISTINCT status::text FROM push.message_status") == ["cancelled"])
        #expect(try await store.lost() == [])
    }

    @Test func aHubThatIsServedIsNotRemoved() async throws {
        let store = try await StoreFixture.make()
        _ = try await store.workers.beat(
            store.queue.worker, doing: "", reports: [HubReport(hub: store.hub, hasSecondary: true)])
        let error = await refusal(of: Self.remove, on: store)
        #expect(error?.message == "hub \"news\" is served by host/1")
        #expect(error?.hint?.contains("Take hubs.news out of the configuration") == true)
    }

    /// In the configuration of a worker, by migrate up, or by a person: it is the same hub again, with what it had.
    @Test(arguments: [false, true]) func aHubComesBack(byAPerson: Bool) async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(Self.remove)
        if byAPerson {
            #expect(try await store.test.number("SELECT push.add_hub('news')") == Int64(store.hub))
        } else {
            #expect(try await Hubs(database: store.database).register(TestWorker.news) == store.hub)
        }
        try await store.insert()
        #expect(try await store.test.texts("SELECT hub FROM push.hub_health") == ["news"])
        #expect(try await store.test.number("SELECT count(*) FROM push.hub WHERE removed_by IS NOT NULL") == 0)
    }

    /// As `fanfare hub show` says it. What it has left can be cancelled and decided.
    @Test func aRemovedHubIsNotSteered() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute(Self.remove)
        for call in [
            "push.pause_hub('news')", "push.resume_hub('news')", "push.open_gate('news')", "push.set_rate('news', 5)",
            "push.rotate_hub('news')", "push.eta('news')", "push.retry_failed('news')",
        ] {
            let error = await refusal(of: "SELECT \(raw: call)", on: store)
            #expect(error?.message == "hub \"news\" is not registered", "\(call)")
            #expect(error?.hint?.hasPrefix("It was removed by postgres on 20") == true, "\(call): \(error?.hint ?? "")")
        }
        #expect(try await Estimate.read(from: store.database, hub: nil, campaign: nil) == [])
        #expect(try await store.test.number("SELECT cancelled FROM push.cancel_hub('news')") == 0)
        #expect(try await store.test.number("SELECT push.cancel_devices('news')") == 0)
        #expect(try await store.test.number("SELECT resolved FROM push.resolve_doubts('news', 'rejected')") == 0)
    }
}
