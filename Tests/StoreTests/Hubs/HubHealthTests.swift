import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// What is read about one hub, by a login that may look.
@Suite(.timeLimit(.minutes(10))) struct HubHealthTests {
    @Test func aHubThatIsNotRegisteredIsNone() async throws {
        let store = try await StoreFixture.make()
        #expect(try await HubHealth.read("nwes", from: store.database) == nil)
        #expect(try await HubHealth.names(from: store.database) == ["news"])
        #expect(try await DeviceGate.read("nwes", from: store.database) == nil)
        #expect(try await HubWorker.all(of: "nwes", from: store.database) == [])
    }

    @Test func eachWorkerReportsForItself() async throws {
        let store = try await StoreFixture.make()
        let registration = try await Hubs(database: store.database).registerIfMissing(TestWorker.news)
        let other = try await store.another()
        for (worker, report) in [
            (
                store.queue.worker,
                HubReport(hub: store.hub, tokenExpiresAt: 1_900_000_000, window: 8, inFlight: 3, rate: 2)
            ),
            (other.worker, HubReport(hub: store.hub, skewSeconds: -3, settingsHash: "other", trouble: "no answer")),
        ] {
            var report = report
            report.settingsHash = report.settingsHash ?? registration.settingsHash
            _ = try await store.workers.beat(worker, doing: "posting", reports: [report])
        }
        let monitor = try await store.test.login(as: "push_monitor")
        let found = try await HubWorker.all(of: "news", from: monitor.database)
        #expect(found.map(\.name) == ["host/1", "host/2"] && found.allSatisfy(\.isAlive))
        #expect(found.map(\.differs) == [false, true] && found.map(\.trouble) == [nil, "no answer"])
        #expect(found.map(\.skewSeconds) == [nil, -3] && found.map(\.window) == [8, 1])
        let health = try #require(try await HubHealth.read("news", from: monitor.database))
        #expect(
            health.state == "open" && health.workers == 2 && health.differing == "host/2" && health.skewSeconds == -3)
        #expect(health.tokenExpiresAt == Timestamp(secondsSince1970: 1_900_000_000) && health.inFlight == 3)
        await monitor.database.close()
    }

    @Test func theRegisteredSettingsAreThoseOfTheConfiguration() async throws {
        let store = try await StoreFixture.make()
        let settings = try await RegisteredSetting.all(of: "news", from: store.database)
        #expect(settings.first { $0.name == "window" }?.value == "\(TestWorker.news.window)")
        #expect(settings.map(\.name) == settings.map(\.name).sorted())
        try await store.database.execute("SELECT push.add_hub('sport')")
        #expect(try await RegisteredSetting.all(of: "sport", from: store.database) == [])
    }

    @Test func resultsAreCountedByMinuteStatusAndReason() async throws {
        let store = try await StoreFixture.make()
        try await store.database.script(
            """
            INSERT INTO push.tally VALUES
                (\(store.hub), date_trunc('minute', now()), 'accepted', 'taken_by_hub', 5),
                (\(store.hub), date_trunc('minute', now()) + interval '1 microsecond', 'accepted', 'taken_by_hub', 2),
                (\(store.hub), now() - interval '2 hours', 'accepted', 'taken_by_hub', 100),
                (\(store.hub), date_trunc('minute', now()) - interval '30 minutes', 'rejected', 'target_gone', 3);
            """)
        let found = try await MinuteResults.lastHour(of: "news", from: store.database)
        #expect(found.map(\.results) == [3, 7] && found.map(\.reasonClass) == ["target", "none"])
        #expect(found.map(\.reason) == ["target_gone", "taken_by_hub"])
    }

    /// The state of devices is asked for again and again; counting what waits for them would read all of it.
    @Test func theGateOfDevicesIsReadWithoutCountingWhatWaits() async throws {
        let store = try await StoreFixture.make()
        let plan = try await store.test.texts(
            "EXPLAIN SELECT state, why, until FROM push.device_backlog WHERE hub = 'news'")
        #expect(!plan.contains { $0.contains("installation_due") || $0.contains("installation_result") })
        #expect(try await DeviceGate.read("news", from: store.database) == DeviceGate(state: "open"))
    }
}
