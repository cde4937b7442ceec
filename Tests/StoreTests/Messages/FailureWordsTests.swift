import TestSupport
import Testing

@testable import Store

/// Both sides group by the same words.
@Suite(.timeLimit(.minutes(10))) struct FailureWordsTests {
    @Test func theDatabaseHasTheSameWords() async throws {
        let database = try await TestDatabase.make().database
        let notes = [
            "", "no template", "no template \"a\" at 10:15:00, request 8d2f-1", "\"", "a \"b", "\"a\"b\"c\"", "-.:",
            "x-1", "1",
            "é1é", "naïve 5€", "a.b:c-d 7", "…", "ends with \"a b", "404", "retry in 3s.", "tab\tand\nline 2",
            "  two  blanks ",
            "😀 9 \"😀\" x", String(repeating: "a ", count: 700), String(repeating: "x", count: 999) + "12",
            String(repeating: "\"a\" ", count: 300),
        ]
        for note in notes {
            let words = try await database.single(
                """
                SELECT btrim(regexp_replace(push_internal.words_without_values(\(note)), '\\s+', ' ', 'g'))
                """, doing: "read words"
            ) { row in try row.string() }
            #expect(FailureWords.of(note) ?? "" == words, "\(note)")
            #expect(FailureWords.of(FailureWords.of(note)) == FailureWords.of(note))
        }
        #expect(FailureWords.of(nil) == nil && FailureWords.of(" ") == nil)
    }
}
