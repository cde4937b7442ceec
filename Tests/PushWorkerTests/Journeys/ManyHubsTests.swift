import HubEmulator
import PushModel
import TestSupport
import Testing

@testable import PushWorker

/// A worker with more hubs than one statement asks for: most of their lanes are dormant.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ManyHubsTests {
    private func hubs(_ count: Int) -> [HubSettings] {
        (1...count).map { HubSettings(name: "hub_\($0)", hub: "hub_\($0)") }
    }

    private func insert(_ worker: TestWorker, into hubs: String, priority: Int = 1) async throws {
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content, priority)
            SELECT 'hub_' || n, 'World', '{"message": "hi"}', \(Int16(priority)) FROM unnest(\(hubs)::int[]) n
            """)
    }

    @Test func dormantLanesOfAnyHubAndPriorityWake() async throws {
        let worker = try await TestWorker.make(hubs: hubs(40))
        try await worker.whileWorking { _ in
            try await insert(worker, into: "{1,17,40}")
            try await worker.accepted(3)
            try await insert(worker, into: "{2,40}", priority: 0)
            try await insert(worker, into: "{39}", priority: 2)
            try await worker.accepted(6)
            // This one has worked a moment ago, and is asked for with its cursor.
            try await insert(worker, into: "{40}")
            try await worker.accepted(7)
        }
        #expect(try await worker.lost() == [])
    }

    @Test func dormantDevicesOfAnyHubAreFound() async throws {
        let worker = try await TestWorker.make(hubs: hubs(100))
        try await worker.whileWorking { _ in
            for device in ["a", "b"] {
                try await worker.test.database.execute(
                    "SELECT push.put_device('hub_' || n, \(device), 'apns', '00') FROM unnest('{1,17,100}'::int[]) n")
                try await worker.until("SELECT count(*) FROM push.installation_result WHERE status = 'applied'") {
                    $0 == (device == "a" ? 3 : 6)
                }
            }
        }
        #expect(try await worker.test.texts("SELECT id::text FROM push.lost_changes") == [])
    }

    @Test func aDrainKnowsWhenDormantLanesAreDone() async throws {
        let worker = try await TestWorker.make(hubs: hubs(40))
        try await worker.test.database.execute(
            """
            INSERT INTO push.message (hub, tag, content)
            SELECT 'hub_' || 1 + n % 40, 'World', '{"message": "hi"}' FROM generate_series(1, 400) n
            """)
        let summary = try await worker.drain()
        #expect(summary.accepted == 400 && summary.clean)
        #expect(worker.emulator.count().taken == 400)
        #expect(try await worker.lost() == [])
    }

    @Test func aDormantLaneOfAPausedHubWakesWhenItResumes() async throws {
        let worker = try await TestWorker.make(hubs: hubs(40))
        try await worker.test.database.execute("SELECT push.pause_hub('hub_3')")
        try await worker.whileWorking { _ in
            try await insert(worker, into: "{3,4}")
            try await worker.accepted(1)
            try await worker.test.database.execute("SELECT push.resume_hub('hub_3')")
            try await worker.accepted(2)
        }
    }
}
