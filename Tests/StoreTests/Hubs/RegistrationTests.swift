import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// Two configurations cannot overwrite each other's hub in silence.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RegistrationTests {
    private static func changed() -> HubSettings {
        var hub = TestWorker.news
        hub.localization = .tags
        hub.languages["de"] = "German"
        return hub
    }

    private static let stored: SQL = "SELECT localization || ' ' || array_to_string(languages, ',') FROM push.hub"

    @Test func aWorkerRegistersAHubThatIsMissing() async throws {
        let test = try await TestDatabase.make()
        let registered = try await Hubs(database: test.database).registerIfMissing(Self.changed())
        #expect(registered.differing == [])
        #expect(try await test.texts(Self.stored) == ["tags de,en,fr,zh-Hans"])
        #expect(try await test.texts("SELECT settings_hash FROM push.hub") == [registered.settingsHash])
        #expect(try await test.number("SELECT count(*) FROM push.hub_state") == 1)
    }

    @Test func aWorkerWithOtherSettingsSaysSoAndChangesNothing() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        for _ in 1...2 {
            let registered = try await hubs.registerIfMissing(Self.changed())
            #expect(registered.hub == store.hub)
            #expect(registered.differing == ["languages", "localization"])
        }
        #expect(try await hubs.registerIfMissing(TestWorker.news).differing == [])
        #expect(try await store.test.texts(Self.stored) == ["properties en,fr,zh-Hans"])
        #expect(try await store.count("audit") == 0)
    }

    @Test func aPersonReplacesSettingsAndTheAuditSaysWhich() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        #expect(try await hubs.register(Self.changed()) == store.hub)
        #expect(try await store.test.texts(Self.stored) == ["tags de,en,fr,zh-Hans"])
        #expect(
            try await store.test.texts("SELECT action || ' ' || detail::text FROM push.audit") == [
                #"register_hub {"hub" : "news", "changed" : ["languages","localization"]}"#
            ])
        #expect(try await hubs.registerIfMissing(TestWorker.news).differing == ["languages", "localization"])
    }

    /// Numbers of hubs end at 32,767: a site with 5,000 hubs changes a setting of all of them more than six times.
    @Test func noChangeTakesANumber() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        let last: SQL = "SELECT last_value FROM push.hub_id_seq"
        let before = try await store.test.number(last)
        for n in 1...20 {
            var hub = TestWorker.news
            hub.expireAfterSeconds = 1000 + n
            #expect(try await hubs.register(hub) == store.hub)
            _ = try await hubs.registerIfMissing(Self.changed())
            await #expect(throws: DatabaseError.self) {
                try await store.database.execute("SELECT push.add_hub('news')")
            }
        }
        try await store.database.execute("SELECT push.remove_hub('news')")
        #expect(try await store.test.number("SELECT push.add_hub('news')") == Int64(store.hub))
        #expect(try await hubs.register(TestWorker.news) == store.hub)
        #expect(try await store.test.number(last) == before)
    }

    @Test func twoWorkersThatRegisterAtOnceDoNotOverwriteEachOther() async throws {
        let test = try await TestDatabase.make()
        let hubs = Hubs(database: test.database)
        let registered = try await withThrowingTaskGroup(of: Hubs.Registration.self) { group in
            for n in 1...6 {
                group.addTask { try await hubs.registerIfMissing(n % 2 == 0 ? TestWorker.news : Self.changed()) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(registered.map(\.hub)).count == 1)
        #expect(registered.count { $0.differing.isEmpty } == 3, "one of the two configurations won")
    }

    @Test func healthNamesTheWorkersWhoseSettingsDiffer() async throws {
        let store = try await StoreFixture.make()
        let hubs = Hubs(database: store.database)
        let (mine, other) = (
            try await hubs.registerIfMissing(TestWorker.news), try await hubs.registerIfMissing(Self.changed())
        )
        let second = try await store.another()
        for (worker, registered) in [(store.queue.worker, mine), (second.worker, other)] {
            _ = try await store.workers.beat(
                worker, doing: "", reports: [HubReport(hub: store.hub, settingsHash: registered.settingsHash)])
        }
        let seen = try #require(try await SystemStatus.read(from: store.database).hubs.first)
        #expect(seen.workers == 2)
        #expect(seen.differing == "host/2")
        #expect(seen.note == "other settings than registered at host/2: fanfare migrate up")
        _ = try await hubs.register(Self.changed())
        #expect(try await SystemStatus.read(from: store.database).hubs.first?.differing == "host/1")
    }
}
