import Postgres
import Store
import TestSupport
import Testing

/// push.audience_names: which views can be an audience?
@Suite(.timeLimit(.minutes(10))) struct AudienceNamesTests {
    /// By a login of push_campaign in a READ ONLY transaction; the roles belong to the server, so each test has its own schema.
    @Test func onlyViewsThatAnAudienceCanBeAreNamed() async throws {
        let test = try await TestDatabase.make()
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE SCHEMA hidden;
            CREATE TABLE marketing.people (key text PRIMARY KEY, tag text, locale text, age int);
            CREATE VIEW marketing.lapsed AS SELECT key, tag, NULL::text AS time_zone FROM marketing.people;
            COMMENT ON VIEW marketing.lapsed IS 'Who did not come for a month.';
            CREATE VIEW marketing."Odd name" AS SELECT key, tag AS handle FROM marketing.people;
            CREATE VIEW marketing.no_key AS SELECT tag FROM marketing.people;
            CREATE VIEW marketing.no_target AS SELECT key, locale FROM marketing.people;
            CREATE VIEW marketing.not_granted AS SELECT key, tag FROM marketing.people;
            CREATE VIEW hidden.away AS SELECT key, tag FROM marketing.people;
            CREATE TABLE marketing.parts (key int, tag text) PARTITION BY RANGE (key);
            CREATE TABLE marketing.part PARTITION OF marketing.parts DEFAULT;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.lapsed, marketing."Odd name", marketing.no_key, marketing.no_target, hidden.away,
                            marketing.parts, marketing.part TO push_audience;
            """)
        let owner = try await test.login(as: "push_campaign")
        #expect(
            try await Audiences(database: owner.database).views() == [
                .init(name: #"marketing."Odd name""#, columns: ["key", "handle"]),
                .init(
                    name: "marketing.lapsed", columns: ["key", "tag", "time_zone"],
                    comment: "Who did not come for a month."),
                .init(name: "marketing.parts", columns: ["key", "tag"]),
            ])
        let names = try await owner.database.withTransaction { connection in
            try await connection.execute("SET TRANSACTION READ ONLY")
            return try await connection.query("SELECT name FROM push.audience_names()") { $0.count }
        }
        #expect(names == 3)
        let monitor = try await test.login(as: "push_monitor")
        let refused = await #expect(throws: DatabaseError.self) {
            try await Audiences(database: monitor.database).views()
        }
        #expect(refused?.sqlState == "42501")
    }

    @Test func aDatabaseWithoutSuchViewsNamesNone() async throws {
        let store = try await StoreFixture.untouched
        #expect(try await Audiences(database: store.database).views().isEmpty)
    }
}
