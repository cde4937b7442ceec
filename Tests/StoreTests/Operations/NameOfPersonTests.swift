import PushModel
import Testing

@testable import Store

/// Settings and SQL take the same names of people.
@Suite(.timeLimit(.minutes(10))) struct NameOfPersonTests {
    @Test func everyCharacterCountsTheSameInSQL() async throws {
        let store = try await StoreFixture.untouched
        // Where characters of each kind are: all of the lowest planes, and both ends of the highest ones.
        let ranges = [1...0xD7FF, 0xE000...0x1_0FFF, 0x1_F000...0x1_FFFF, 0xD_FFF0...0xE_01FF, 0x10_FF00...0x10_FFFF]
        for range in ranges {
            let hidden = try await store.test.texts(
                """
                SELECT i::text FROM generate_series(\(Int64(range.lowerBound)), \(Int64(range.upperBound))) i
                 WHERE NOT push_internal.is_name_of_person('a' || chr(i::int) || 'b') ORDER BY i + 0
                """)
            let expected = range.filter { number in
                Unicode.Scalar(UInt32(number)).map { !PersonName.isOne("a\($0)b") } ?? false
            }
            #expect(hidden == expected.map(String.init))
        }
    }

    @Test(arguments: [
        "", " ", "a", " a", "a ", "a b", "a  b", "schedule", "Schedule", "A\u{30A}se",
        String(repeating: "x", count: 200),
        String(repeating: "x", count: 201), String(repeating: "e\u{301}", count: 100),
        String(repeating: "e\u{301}", count: 101),
    ])
    func everyNameCountsTheSameInSQL(name: String) async throws {
        let store = try await StoreFixture.untouched
        let answer = try await store.test.texts("SELECT push_internal.is_name_of_person(\(name))::text")
        #expect(answer == ["\(PersonName.isOne(name))"])
    }
}
