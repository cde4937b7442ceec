import Postgres
import TestSupport
import Testing

@testable import Store

@Suite struct ZonesInDatabaseTests {
    @Test func zonesOfSchedulesSpecsAndRunsAreInUse() async throws {
        let test = try await LocalSpecTests.make()
        try await test.database.script("INSERT INTO marketing.people VALUES (1, 'Asia/Tokyo'), (2, 'America/Lima')")
        try await LocalSpecTests.create(
            #"""
            "schedule": {"cron": "0 9 * * *", "zone": "Europe/Paris"}, "window": {"from": "08:00", "zone": "Europe/Rome"},
            "local": {"time": "09:00", "default": "UTC", "zones": ["Asia/Tokyo", "Asia/Seoul"]}
            """#, in: test)
        let zones = ZonesInDatabase(database: test.database)
        let access = try await RoleAccess.read(from: test.database)
        let named: Set = ["Europe/Paris", "Europe/Rome", "UTC", "Asia/Tokyo", "Asia/Seoul"]
        #expect(try await zones.used(access) == named)
        // The newest revision counts, and a run as it began.
        _ = try await CampaignStore(database: test.database).start("spring", key: "k")
        try await LocalSpecTests.create(
            #""local": {"time": "09:00", "default": "Europe/Oslo"}"#, in: test)
        #expect(try await zones.used(access) == ["Europe/Oslo", "UTC", "Asia/Tokyo"])
        try await test.database.script("UPDATE push.stream SET done_at = now()")
        #expect(try await zones.used(access) == ["Europe/Oslo"])
        // Others see the zones of schedules.
        try await LocalSpecTests.create(#""schedule": {"cron": "0 9 * * *", "zone": "Europe/Paris"}"#, in: test)
        let monitor = try await test.login(as: "push_monitor")
        let seen = try await ZonesInDatabase(database: monitor.database)
            .used(try await RoleAccess.read(from: monitor.database))
        #expect(seen == ["Europe/Paris"])
        await monitor.database.close()
    }

    @Test func offsetsAreThoseOfItsClocksAndUnknownZonesAreLeftOut() async throws {
        let test = try await TestDatabase.make()
        let summer: Int64 = 1_784_116_800  // 2026-07-15T12:00:00Z
        let winter: Int64 = 1_768_478_400  // 2026-01-15T12:00:00Z
        let asked = ["Europe/Berlin", "Europe/Berlin", "Mars/Base", "Asia/Kathmandu", "UTC", "cet-1"]
        let offsets = try await ZonesInDatabase(database: test.database)
            .offsets(asked, at: [summer, winter, winter, summer, summer, summer])
        #expect(offsets == ["Europe/Berlin": [7_200, 3_600], "Asia/Kathmandu": [20_700], "UTC": [0]])
    }
}
