import PushModel
import Store
import TestSupport
import Testing

/// Whom a cap leaves out does not depend on how keys look, in which order an audience is read, or on the size of its pages.
/// The rows of `push.reached` are found by ranges of keys in the order of their bytes, and audiences are read in other orders.
@Suite struct CapPropertyTests {
    @Test(arguments: 1...12)
    func whoWasReachedOftenEnoughIsFoundWhateverTheOrder(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        let people = Array(Set((0..<400).map { _ in Self.key(&random) })).sorted()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE TABLE marketing.people (key text COLLATE "de-x-icu" PRIMARY KEY, runs text[] NOT NULL);
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            """)
        var reached: [String: Int] = [:]
        let runs = ["a", "b", "c", "d"]
        for person in people {
            let theirs = runs.filter { _ in Bool.random(using: &random) }
            _ = try await test.texts(
                "INSERT INTO marketing.people VALUES (\(person), string_to_array(\(theirs.joined()), NULL)) RETURNING ''"
            )
        }
        for run in runs {
            let collation = ["", " COLLATE \"C\"", " COLLATE \"en-x-icu\""].randomElement(using: &random) ?? ""
            try await test.database.script(
                """
                CREATE VIEW marketing.\(run) AS
                SELECT key\(collation) AS key, 'user' AS tag
                  FROM marketing.people WHERE '\(run)' = ANY (runs);
                GRANT SELECT ON marketing.\(run) TO push_audience;
                SELECT push.create_campaign('\(run)', '{"hubs": ["news"], "audience": {"view": "marketing.\(run)"},
                    "content": {"en": {"a": "b"}}, "cap": {"count": 2, "days": 7, "group": "g"}}');
                """)
            let audience = try await test.texts("SELECT key FROM marketing.people WHERE \(run) = ANY (runs)")
            let capped = audience.filter { reached[$0, default: 0] >= 2 }
            for key in audience where reached[key, default: 0] < 2 { reached[key, default: 0] += 1 }

            _ = try await CampaignStore(database: test.database).start(run, key: run)
            let stream = try await test.number(
                "SELECT t.id FROM push.stream t JOIN push.run r ON r.id = t.run WHERE r.key = \(run)")
            while try await !Runs(database: test.database).expand(
                stream, upTo: Int.random(in: 1...200, using: &random)
            ).isExpanded {}
            let counted = try await test.texts(
                """
                SELECT concat_ws(' ', sum(s.rows), sum((s.left_out ->> 'capped')::int)) FROM push.slice s
                 WHERE s.stream = \(stream)
                """)
            let expected = "\(audience.count - capped.count)\(capped.isEmpty ? "" : " \(capped.count)")"
            #expect(counted == [expected], "seed \(seed), run \(run)")
        }
        await test.database.close()
    }

    /// Keys that bytes, alphabets and numbers put into different orders.
    private static func key(_ random: inout SeededRandom) -> String {
        let number = Int.random(in: 0..<1000, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "\(number)"
        case 1: return "-\(number)"
        case 2: return "\(["Ä", "ä", "z", "Z", "\u{10FFFF}", "_"].randomElement(using: &random)!)\(number)"
        case 3: return String(repeating: "long", count: 17) + "\(number)"
        case 4: return "a"
        default: return "User-\(String(number, radix: 2))"
        }
    }
}
