import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What people do with hubs (steer_hub.sql).
@Suite(.serialized, .timeLimit(.minutes(10))) struct HubOperationTests {
    @Test func openingAGateDoesNotEndAPause() async throws {
        let store = try await StoreFixture.make()
        #expect(try await store.test.texts("SELECT push.open_gate('news')::text") == ["false"])
        try await Hubs(database: store.database).closeGate(store.hub, seconds: 600)
        try await store.database.execute("SELECT push.pause_hub('news')")
        #expect(try await store.test.texts("SELECT push.open_gate('news')::text") == ["true"])
        #expect(try await store.test.texts("SELECT state FROM push.hub_health") == ["paused"])
        try await store.database.execute("SELECT push.resume_hub('news')")
        #expect(try await store.test.texts("SELECT state FROM push.hub_health") == ["open"])
        #expect(try await store.test.number("SELECT count(*) FROM push.audit WHERE action = 'open_gate'") == 2)
    }

    @Test func aRateIsSetForAllWorkersAndRemoved() async throws {
        var hub = TestWorker.news
        hub.ratePerSecond = 7
        let store = try await StoreFixture.make(hub)
        let shown: SQL = "SELECT concat_ws(' ', rate, rate_set) FROM push.hub_health"
        #expect(try await store.test.texts(shown) == ["7 f"])
        try await store.database.execute("SELECT push.set_rate('news', 2.5)")
        #expect(try await store.test.texts(shown) == ["2.5 t"])
        try await store.database.execute("SELECT push.set_rate('news', 0)")
        #expect(try await store.test.texts(shown) == ["t"])
        try await store.database.execute("SELECT push.set_rate('news', NULL)")
        #expect(try await store.test.texts(shown) == ["7 f"])
        #expect(
            try await store.test.texts(
                "SELECT detail ->> 'rate' FROM push.audit WHERE action = 'set_rate' AND detail ->> 'rate' IS NOT NULL ORDER BY id"
            )
                == ["2.5", "0"])
    }

    @Test func anAddedHubTakesTheWorkersSettingsLater() async throws {
        let store = try await StoreFixture.make()
        try await store.database.execute("SELECT push.add_hub('sport', languages => '{en,de}', fallback => 'en')")
        try await store.database.execute("INSERT INTO push.message (hub, tag, content) VALUES ('sport', 'a', '{}')")
        #expect(try await store.test.number("SELECT workers FROM push.hub_health WHERE hub = 'sport'") == 0)
        var hub = HubSettings(name: "sport")
        hub.languages = ["en": "English"]
        hub.fallback = "en"
        #expect(try await Hubs(database: store.database).registerIfMissing(hub).differing == [])
        #expect(
            try await store.test.texts("SELECT array_to_string(languages, ',') FROM push.hub WHERE name = 'sport'") == [
                "en"
            ])
        let error = await #expect(throws: DatabaseError.self) {
            try await store.database.execute("SELECT push.add_hub('sport')")
        }
        #expect(error?.sqlState == "23505")
        #expect(error?.hint?.contains("fanfare migrate up") == true)
    }

    @Test(arguments: [
        ("SELECT push.add_hub('No Name')", "22023"), ("SELECT push.add_hub(NULL)", "22023"),
        ("SELECT push.add_hub('x', localization => 'magic')", "22023"),
        ("SELECT push.add_hub('x', on_doubt => 'hope')", "22023"),
        ("SELECT push.add_hub('x', fallback => 'en')", "22023"),
        ("SELECT push.add_hub('x', expire_after => '-1 s')", "22023"),
        ("SELECT push.add_hub('x', expire_after => '295000 years')", "22023"),
        ("SELECT push.add_hub('x', settle => '61 s')", "22023"),
        ("SELECT push.add_hub('x', keep_content => '366 days')", "22023"),
        ("SELECT push.add_hub('x', keep_dedupe => '-1 day')", "22023"),
        ("SELECT push.set_rate('news', -1)", "22023"), ("SELECT push.set_rate('news', 'NaN')", "22023"),
        ("SELECT push.set_rate('nowhere', 1)", "P0002"), ("SELECT push.open_gate('nowhere')", "P0002"),
        ("SELECT push.rescue(99)", "P0002"), ("SELECT push.eta('nowhere')", "P0002"),
        ("SELECT push.purge('1 hour')", "22023"), ("SELECT push.purge(NULL)", "22023"),
        ("SELECT push.purge('30 days', batch => 0)", "22023"),
    ]) func anInvalidValueIsRefusedWithAHint(_ sql: String, _ state: String) async throws {
        let store = try await StoreFixture.untouched
        let error = await #expect(throws: DatabaseError.self) { try await store.database.execute("\(raw: sql)") }
        #expect(error?.sqlState == state)
        #expect(error?.hint?.isEmpty == false)
        #expect(try await store.count("audit") == 0)
    }
}
