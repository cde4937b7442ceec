import Postgres
import PushModel
import TestSupport
import Testing

@testable import Store

/// A schema that is newer than this build: it goes on where `works_from` allows that, and refuses elsewhere.
@Suite(.serialized, .timeLimit(.minutes(10))) struct UpgradeTests {
    private let knows = Schema.release

    private func later(_ test: TestDatabase, by more: Int32 = 1, worksFrom: Int32) async throws {
        try await test.database.execute(
            """
            INSERT INTO push.release (release, works_from) VALUES (\(knows + more), \(worksFrom))
            """)
    }

    @Test func aNewerSchemaThatWorksWithUsIsUsedAndNamed() async throws {
        let test = try await TestDatabase.make()
        try await later(test, worksFrom: knows)
        let schema = Schema(database: test.database)
        let standing = try await schema.require()
        #expect(standing == .newer(has: knows + 1, knows: knows, worksFrom: knows))
        #expect(
            standing.notice
                == "the schema is of release \(knows + 1), newer than this fanfare knows (\(knows)); it works from release \(knows) on"
        )
        #expect(try await schema.verify() == [])
        #expect(try await schema.migrate(appVersion: "old") == [])
        #expect(try await schema.releases().last?.number == knows + 1)
    }

    @Test func aSchemaThatNeedsMoreIsRefusedWithBothNumbersAndLeftAlone() async throws {
        let test = try await TestDatabase.make()
        try await later(test, worksFrom: knows + 1)
        let schema = Schema(database: test.database)
        let refusal = SchemaError.newer(has: knows + 1, knows: knows, worksFrom: knows + 1)
        #expect(await #expect(throws: SchemaError.self) { try await schema.require() } == refusal)
        #expect(await #expect(throws: SchemaError.self) { try await schema.migrate(appVersion: "old") } == refusal)
        #expect(refusal.description.contains("\(knows + 1)") && refusal.description.contains("knows \(knows)"))
        #expect(try await schema.verify().first?.contains("upgrade fanfare") == true)
    }

    /// The highest counts: a release that forgot about its predecessors does not reopen the door they closed.
    @Test func theHighestWorksFromOfAllReleasesCounts() async throws {
        let test = try await TestDatabase.make()
        try await later(test, by: 1, worksFrom: knows + 1)
        try await later(test, by: 2, worksFrom: knows)
        #expect(
            try await Schema(database: test.database).standing()
                == .tooNew(has: knows + 2, knows: knows, worksFrom: knows + 1))
    }

    @Test(arguments: ["push_enqueue", "push_worker", "push_monitor", "push_operator"])
    func everyRoleSeesTheVersion(role: String) async throws {
        let test = try await TestDatabase.make()
        try await later(test, worksFrom: knows)
        let login = try await test.login(as: role)
        #expect(try await Schema(database: login.database).require().notice != nil)
        await login.database.close()
    }

    /// A newer build may have added words to the enums; older ones show them.
    @Test func wordsThatThisBuildDoesNotKnowAreShownAsTheyAre() async throws {
        let store = try await StoreFixture.make()
        let ids = try await store.insert(2)
        let since = try await ResultCounts.thisMinute(of: store.database)
        for type in ["status", "reason", "verdict"] {
            try await store.database.execute("ALTER TYPE push.\(raw: type) ADD VALUE 'parked'")
        }
        try await store.database.execute("DELETE FROM push.due WHERE id = \(ids[0])")
        try await store.database.execute(
            "INSERT INTO push.result (id, status, reason) VALUES (\(ids[0]), 'parked', 'parked')")
        try await store.database.execute(
            "INSERT INTO push.tally VALUES (\(store.hub), \(since), 'parked', 'parked', 1)")
        let messages = try await store.messages.find(MessageSearch(limit: 10))
        #expect(messages.map(\.status) == ["due", "parked"])
        #expect(messages.last?.reason == "parked")
        #expect(messages.last?.class == "policy")
        #expect(try await store.messages.status(of: ids[0])?.status == "parked")
        #expect(try await SystemStatus.read(from: store.database).lastHour.map(\.status) == ["parked"])
        #expect(try await ResultCounts.read(from: store.database, since: since).results == ["news": ["parked": 1]])
    }
}
