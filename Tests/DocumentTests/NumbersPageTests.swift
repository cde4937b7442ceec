import ProgramSupport
import TestSupport
import Testing

/// docs/storage.md, "Numbers that run out": every sequence of the schema stands there with its type.
@Suite struct NumbersPageTests {
    @Test func everySequenceIsListed() async throws {
        let listed = try Repository.text("docs/storage.md")
            .matches(of: /(?m)^\| ((?:`push\.[a-z_]+`(?:, )?)+) \| (bigint|integer) \|/)
            .flatMap { row in row.1.matches(of: /`(push\.[a-z_]+)`/).map { "\($0.1) \(row.2)" } }
        let test = try await TestDatabase.make()
        let made = try await test.texts(
            "SELECT format('%s.%s %s', schemaname, sequencename, data_type) FROM pg_sequences WHERE schemaname ~ '^push' AND NOT cycle"
        )
        #expect(listed.sorted() == made.sorted())
        await test.database.close()
    }
}
