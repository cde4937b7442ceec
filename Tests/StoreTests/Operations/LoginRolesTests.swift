import Postgres
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(10))) struct LoginRolesTests {
    @Test(
        arguments: [
            ("push_console", Set<RoleAccess.Group>([.console, .monitor, .operator, .campaign, .approve])),
            ("push_operator", [.operator, .monitor]), ("push_enqueue", [.enqueue]),
        ] as [(String, Set<RoleAccess.Group>)])
    func aLoginTakesOnWhatItIsAMemberOf(_ group: String, _ groups: Set<RoleAccess.Group>) async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: group)
        let found = try await LoginRoles.read(from: login.database)
        #expect(found == LoginRoles(login: "\(store.test.name)_\(group)", groups: groups))
        await login.database.close()
    }

    /// As in a transaction that the console began for a person.
    @Test func theRoleThatIsSetDoesNotMatter() async throws {
        let store = try await StoreFixture.make()
        let login = try await store.test.login(as: "push_console")
        let found = try await LoginRoles.read(from: login.database.framed(by: TransactionFrame(role: "push_monitor")))
        #expect(found.login == "\(store.test.name)_push_console" && found.groups.contains(.operator))
        await login.database.close()
    }
}
