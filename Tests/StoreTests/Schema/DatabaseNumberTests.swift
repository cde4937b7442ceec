import Testing

@testable import Store

/// The number that tells pushes of one database from those of others.
@Suite(.timeLimit(.minutes(10))) struct DatabaseNumberTests {
    @Test func aDatabaseKeepsItsNumberAndAnotherOfTheServerHasAnother() async throws {
        let one = try await StoreFixture.make().database
        let other = try await StoreFixture.make().database
        let number = try await Schema(database: one).databaseNumber()
        #expect(try await Schema(database: one).databaseNumber() == number)
        #expect(try await Schema(database: other).databaseNumber() != number)
    }

    /// Of the number the lower 60 bits count.
    @Test func neighboursDifferInTheBitsThatCount() {
        let mask = UInt64(1) << 60 - 1
        let numbers = (0..<100).flatMap { system in
            (0..<100).map { Schema.number(system: 7_300_000_000_000_000_000 + system, database: 16_384 + $0) & mask }
        }
        #expect(Set(numbers).count == 10_000)
    }
}
