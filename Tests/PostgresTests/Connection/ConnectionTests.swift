import Testing

@testable import Postgres

@Suite struct ConnectionTests {
    @Test func aStatementTimeoutIsSetWhenAsked() async throws {
        try await SharedServer.withDatabase({ $0.statementTimeout = .milliseconds(1500) }) { database async throws in
            #expect(
                try await database.query("SHOW statement_timeout") { try $0.single { try $0.string() } } == "1500ms")
        }
        try await SharedServer.withDatabase({ ($0.statementTimeout, $0.prepare) = (.seconds(1), .never) }) {
            database async throws in
            #expect(try await database.query("SHOW statement_timeout") { try $0.single { try $0.string() } } == "0")
        }
    }

    @Test func executeCountsRows() async throws {
        try await SharedServer.withDatabase { database async throws in
            #expect(try await database.execute("CREATE TABLE counted AS SELECT n FROM generate_series(1, 7) n") == 7)
            #expect(try await database.execute("UPDATE counted SET n = n + 1 WHERE n > 3") == 4)
            #expect(try await database.execute("DELETE FROM counted WHERE n = \(Int32(-1))") == 0)
            #expect(try await database.execute("DROP TABLE counted") == 0)
        }
    }

    @Test func copyIsRefusedAndTheNextStatementWorks() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            await #expect(throws: DatabaseError.self) { try await database.script("COPY pg_class TO STDOUT") }
            #expect(try await database.execute("SELECT 1") == 1)
        }
    }

    @Test func theUsersApplicationNameWinsOverOurs() async throws {
        let sql: SQL = "SHOW application_name"
        try await SharedServer.withDatabase { database async throws in
            #expect(try await database.query(sql) { try $0.single { try $0.string() } } == "tests")
        }
        try await SharedServer.withDatabase({ $0.url += " application_name=theirs" }) { database async throws in
            #expect(try await database.query(sql) { try $0.single { try $0.string() } } == "theirs")
        }
    }
}
