import ProgramSupport
import TestSupport
import Testing

@testable import fanfare

@Suite struct MissingRoleTests {
    @Test(arguments: [
        ("permission denied for function cancel", "push_operator"),
        ("permission denied for schema push_worker", "push_worker"),
        ("keine Berechtigung für Sicht »backlog«", "push_monitor"),
        ("permission denied for view device_status", "one of push_monitor and push_register"),
        ("permission denied for function claim_v1", "push_worker"),
        ("permission denied for table orders", nil),
    ])
    func itIsFoundByTheThingThatWasRefused(_ message: String, _ role: String?) {
        #expect(MissingRole(refusal: message).name == role)
    }

    @Test func theListIsThatOfTheDatabase() async throws {
        let test = try await TestDatabase.make()
        let lines = try await test.texts("\(raw: Repository.text("Tests/Vectors/rights_of_names.sql"))")
        let list = try Repository.text("Sources/fanfare/Schema/MissingRole+Roles.swift")
        #expect(
            list.split(separator: "\n").filter { $0.hasSuffix("\",") }.map(String.init) == lines,
            "bin/generate writes MissingRole+Roles.swift")
        await test.database.close()
    }
}
