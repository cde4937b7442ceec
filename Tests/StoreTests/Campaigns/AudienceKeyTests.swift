import Postgres
import Store
import TestSupport
import Testing

/// The keys of a view are compared as its column is typed, so that each recipient is read once, page by page.
@Suite struct AudienceKeyTests {
    struct Column: Sendable, CustomTestStringConvertible {
        let type: String
        /// Ten of them, as SQL in n from 1 to 10.
        let value: String
        var testDescription: String { "\(type) of \(value)" }
    }

    private static let columns = [
        // Upper and lower case in turn, and an umlaut: what one collation puts first, another puts last.
        Column(type: "text", value: "(ARRAY['b', 'B', 'a', 'A', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(
            type: #"text COLLATE "en-x-icu""#, value: "(ARRAY['b', 'B', 'a', 'A', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(type: "varchar(9)", value: "(ARRAY['b', 'B', 'a', 'A', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(type: "char(8)", value: "(ARRAY['b', 'B', 'a', 'A', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(type: "name", value: "chr(96 + n)"),
        Column(type: "keys.citext", value: "(ARRAY['b', 'C', 'a', 'D', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(type: "marketing.member_key", value: "(ARRAY['b', 'B', 'a', 'A', 'z', 'ä', '1', '10', '2', ''])[n]"),
        Column(type: "marketing.padded_key", value: "'k' || n"),
        Column(
            type: "marketing.level",
            value: "(ARRAY['ten','nine','eight','seven','six','five','four','three','two','one'])[n]"),
        Column(type: "uuid", value: "md5(n::text)"),
        Column(
            type: "numeric", value: "(ARRAY['-3', '1.50', '1.5001', '10', '9', '1e30', 'NaN', '0', '-0.1', '100'])[n]"),
        Column(type: "smallint", value: "(n - 5) * 7"), Column(type: "integer", value: "(n - 5) * 7"),
        Column(type: "bigint", value: "(n - 5) * 9000000000"),
        Column(type: "date", value: "date '2027-01-28' + n * 5"),
        Column(type: "timestamptz", value: "timestamptz '2027-01-28 12:00Z' + n * interval '9 h 1 ms'"),
    ]

    private static func make(_ column: Column, view: String = "marketing.people") async throws -> TestDatabase {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE SCHEMA keys;
            GRANT USAGE ON SCHEMA marketing, keys TO push_audience;
            CREATE DOMAIN marketing.member_key AS text COLLATE "C" CHECK (length(VALUE) < 9);
            CREATE DOMAIN marketing.padded_key AS char(5);
            CREATE TYPE marketing.level AS ENUM ('one','two','three','four','five','six','seven','eight','nine','ten');
            \(column.type == "keys.citext" ? "CREATE EXTENSION citext SCHEMA keys;" : "")
            CREATE TABLE marketing.people (key \(column.type) UNIQUE, tag text, time_zone text);
            INSERT INTO marketing.people
            SELECT (\(column.value))::text::\(column.type.prefix { $0 != " " }),
                   'user:' || n, (ARRAY['Asia/Tokyo', NULL])[n % 2 + 1]
              FROM generate_series(1, 10) n;
            INSERT INTO marketing.people VALUES (NULL, 'user:none', NULL);
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        return test
    }

    private static func spec(_ members: String = "") -> String {
        #"""
        {"hubs": ["news"], "audience": {"view": "marketing.people"}, "content": {"": {"a": "b"}}\#(members)}
        """#
    }

    /// Reads every stream in pages of 3, each by a session with its own way to write dates.
    private static func expandAll(_ test: TestDatabase) async throws {
        for stream in try await test.texts("SELECT id::text FROM push.stream ORDER BY id") {
            for page in 0..<8 {
                let expansion = try await test.database.withTransaction { connection in
                    try await connection.execute(
                        "SET LOCAL datestyle = '\(raw: page.isMultiple(of: 2) ? "SQL, DMY" : "SQL, MDY")'")
                    return try await connection.query(
                        "SELECT e.done FROM push_worker.expand_v1(\(Int64(stream)!), 3) e"
                    ) { rows in try rows.single { row in try row.bool() } }
                }
                if expansion { break }
                #expect(page < 7, "stream \(stream) does not end")
            }
        }
    }

    @Test(arguments: columns, ["", #", "local": {"time": "09:00", "default": "UTC"}"#])
    func everyKeyIsReadOnce(column: Column, members: String) async throws {
        let test = try await Self.make(column)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec(members), draft: false)
        _ = try await campaigns.start("x", key: "k")
        try await test.database.script("UPDATE push.stream SET release_at = now()")
        try await Self.expandAll(test)
        #expect(
            try await test.texts("SELECT tag FROM push.message ORDER BY length(tag), tag")
                == (1...10).map { "user:\($0)" })
        // Whom a test asks for by key is found, too.
        #expect(
            try await test.number(
                """
                SELECT count(*) FROM push.message m
                 WHERE (SELECT a.tag FROM push_internal.audience_recipient('marketing.people', m.recipient) a) = m.tag
                """) == 10)
        #expect(
            try await test.number("SELECT push_internal.audience_rest('marketing.people', false, NULL, NULL)") == 10)
        #expect(try await campaigns.check("x").filter { $0.level == "error" } == [])
        await test.database.close()
    }

    @Test(arguments: [("json", "to_json(n)"), ("point", "point(n, n)"), ("integer[]", "ARRAY[n]")])
    func aKeyThatHasNoOrderIsRefusedWithWhatToWrite(type: String, value: String) async throws {
        let test = try await TestDatabase.make()
        _ = try await Hubs(database: test.database).register(TestWorker.news)
        try await test.database.script(
            """
            CREATE SCHEMA marketing;
            CREATE VIEW marketing.people AS SELECT (\(value))::\(type) AS key, 'user:' || n AS tag FROM generate_series(1, 9) n;
            GRANT USAGE ON SCHEMA marketing TO push_audience;
            GRANT SELECT ON marketing.people TO push_audience;
            """)
        let campaigns = CampaignStore(database: test.database)
        _ = try await campaigns.create("x", spec: Self.spec(), draft: false)
        let error = await #expect(throws: DatabaseError.self) { try await campaigns.start("x", key: "k") }
        #expect(
            error?.message.contains("is of type \(type), which has no order") == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.hint?.contains("id::text AS key") == true)
        await test.database.close()
    }
}
