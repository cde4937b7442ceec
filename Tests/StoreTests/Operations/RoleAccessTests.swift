import Postgres
import TestSupport
import Testing

@testable import Store

/// What `fanfare doctor` may ask with each role.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RoleAccessTests {
    @Test(arguments: [
        (RoleAccess.Group.enqueue, false, false, false), (.register, false, false, false),
        (.campaign, false, false, false), (.approve, false, false, false), (.worker, false, true, true),
        (.monitor, true, false, true), (.operator, true, false, true), (.console, false, false, false),
    ])
    func everyGroupHasItsRights(group: RoleAccess.Group, views: Bool, work: Bool, checks: Bool) async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: group.rawValue)
        let access = try await RoleAccess.read(from: login.database)
        #expect(access.groups.contains(group) && access.missing == [] && !access.isOwner)
        #expect(access.mayReadViews == views && access.mayWork == work && access.mayCheck == checks)
        // What it says it may, it may.
        let diagnosis = Diagnosis(database: login.database)
        if checks {
            _ = try await diagnosis.tablesWithoutPartitionAhead()
            _ = try await diagnosis.incidents()
        }
        if views {
            _ = try await diagnosis.snapshots()
            _ = try await SystemStatus.read(from: login.database)
        }
        #expect(try await Schema(database: login.database).verify() == [])
        #expect(try await ZonesInDatabase(database: login.database).used(access) == [])
        _ = try await diagnosis.tablesInNeedOfVacuum()
        await login.database.close()
    }

    @Test func theOwnerMayDoAll() async throws {
        let store = try await StoreFixture.make()
        let access = try await RoleAccess.read(from: store.test.database)
        #expect(access.isOwner && access.missing == [])
    }

    @Test func aRightThatWasTakenAwayIsNamed() async throws {
        let store = try await StoreFixture.make()
        try await store.test.database.script(
            """
            REVOKE EXECUTE ON FUNCTION push_worker.claim_v1 FROM push_worker;
            REVOKE SELECT ON push.hub_health FROM push_monitor;
            REVOKE ALL ON push.message FROM push_enqueue;
            REVOKE SELECT ON push.device_status FROM push_register;
            REVOKE EXECUTE ON FUNCTION push.approve FROM push_approve;
            REVOKE SELECT ON push.campaign_next FROM push_campaign;
            """)
        for (group, missing) in [
            ("push_worker", "EXECUTE on push_worker.claim_v1"), ("push_monitor", "SELECT on push.hub_health"),
            ("push_enqueue", "INSERT on push.message"), ("push_register", "SELECT on push.device_status"),
            ("push_approve", "EXECUTE on push.approve"), ("push_campaign", "SELECT on push.campaign_next"),
        ] {
            let login = try await store.test.login(as: group)
            #expect(try await RoleAccess.read(from: login.database).missing == [missing])
            await login.database.close()
        }
    }

    @Test func aWorkersLoginSeesTheSameStateAsAMonitors() async throws {
        let store = try await StoreFixture.make()
        _ = try await store.insert(2)
        try await store.put("phone")
        _ = try await store.workers.beat(store.queue.worker, doing: "posting", trouble: "the disk is full")
        let worker = try await store.test.login(as: "push_worker")
        let monitor = try await store.test.login(as: "push_monitor")
        var one = try await SystemStatus.read(from: worker.database, by: .workerFunctions)
        var other = try await SystemStatus.read(from: monitor.database)
        #expect(one.workers.map(\.trouble) == ["the disk is full"] && one.hubs.map(\.due) == [2])
        // Both are ages.
        for index in one.hubs.indices { (one.hubs[index].waiting, other.hubs[index].waiting) = (nil, nil) }
        #expect(one.hubs.map(\.devices?.due) == [1])
        for index in one.hubs.indices {
            one.hubs[index].devices?.waiting = nil
            other.hubs[index].devices?.waiting = nil
        }
        for index in one.workers.indices { (one.workers[index].lastBeat, other.workers[index].lastBeat) = (0, 0) }
        #expect(one == other)
        #expect(try await ResultCounts.ended(in: worker.database, minutes: 5, by: .workerFunctions) == [:])
        await worker.database.close()
        await monitor.database.close()
    }
}
