import Testing

@testable import Postgres

@Suite struct ConnectionTests {
    /// The statements that this session has prepared.
    private func prepared(_ connection: Connection) async throws -> [String] {
        let text =
            "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%/*p*/%' AND statement NOT LIKE '%LIKE%'"
        return try await connection.query("\(raw: text)") { try $0.map { row in try row.string(0) } }
    }

    private func double(_ number: Int, on connection: Connection) async throws -> Int64 {
        try await connection.query("SELECT \(number) * 2 /*p*/") { try $0[0].int64(0) }
    }

    @Test func aStatementIsPreparedOnceAndAgainAfterReconnecting() async throws {
        try await SharedServer.withDatabase { database async throws in
            let session = try await database.withConnection { connection async throws in
                for number in 1...5 { #expect(try await double(number, on: connection) == Int64(2 * number)) }
                #expect(try await prepared(connection) == ["SELECT $1 * 2 /*p*/"])
                return try await connection.serverProcess()
            }
            try await SharedServer.end(session)
            try await database.withConnection { connection async throws in
                #expect(try await connection.serverProcess() != session)
                #expect(try await prepared(connection) == [])
                for number in 1...2 { #expect(try await double(number, on: connection) == Int64(2 * number)) }
                #expect(try await prepared(connection) == ["SELECT $1 * 2 /*p*/"])
            }
        }
    }

    @Test func neverPreparingPreparesNothing() async throws {
        try await SharedServer.withDatabase({ $0.prepare = .never }) { database async throws in
            try await database.withConnection { connection async throws in
                for number in 1...3 { #expect(try await double(number, on: connection) == Int64(2 * number)) }
                #expect(try await prepared(connection) == [])
            }
        }
    }

    @Test func aPoolerEndsPreparingForGood() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.withConnection { connection async throws in
                #expect(try await double(1, on: connection) == 2)
                try await connection.script("DEALLOCATE ALL")  // what the next transaction finds on another session
                #expect(try await double(2, on: connection) == 4)
                #expect(try await double(3, on: connection) == 6)
                #expect(try await prepared(connection) == [])
                try await database.withConnection { other async throws in
                    #expect(try await double(4, on: other) == 8)
                    #expect(try await prepared(other) == [])
                }
            }
        }
    }

    @Test func aPoolerMetInATransactionIsTransient() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.withConnection { connection async throws in
                #expect(try await double(1, on: connection) == 2)
                try await connection.script("BEGIN; DEALLOCATE ALL")
                let error = await #expect(throws: DatabaseError.self) { try await double(2, on: connection) }
                #expect(error?.sqlState == "26000")
                #expect(error?.isTransient == true)
                try await connection.script("ROLLBACK")
                #expect(try await double(3, on: connection) == 6)
            }
        }
    }

    @Test func aTableThatGrewAColumnIsReadAllTheSame() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.script("CREATE TABLE grown (a int); INSERT INTO grown VALUES (1)")
            try await database.withConnection { connection async throws in
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 1)
                try await connection.script("ALTER TABLE grown ADD b int")
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 2)
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 2)
                let count = try await connection.query(
                    "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT * FROM grown'"
                ) { try $0[0].int64(0) }
                #expect(count == 2)  // still preparing: the stale one and the one that replaced it
            }
        }
    }

    @Test func beyondItsLimitASessionPreparesNoMore() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.withConnection { connection async throws in
                for number in 0..<PreparedStatements.limit + 10 {
                    #expect(try await connection.execute("SELECT \(raw: String(number))") == 1)
                }
                let sql: SQL = "SELECT count(*) FROM pg_prepared_statements"
                #expect(try await connection.query(sql) { try $0[0].int64(0) } == Int64(PreparedStatements.limit))
            }
        }
    }

    @Test func noticesReachTheClosure() async throws {
        let heard = Collected<Notice>()
        try await SharedServer.withDatabase({ $0.onNotice = { notice in heard.add(notice) } }) {
            database async throws in
            try await database.script(
                "DO $$ BEGIN RAISE NOTICE 'mind %', 'the gap'; RAISE WARNING 'hot' USING HINT = 'wait'; END $$")
        }
        #expect(
            heard.values == [
                Notice(severity: "NOTICE", sqlState: "00000", message: "mind the gap"),
                Notice(severity: "WARNING", sqlState: "01000", message: "hot", hint: "wait"),
            ])
    }

    @Test func noticesOfTheLoginReachTheClosureToo() async throws {
        try await SharedServer.withDatabase { database in
            try await database.execute(
                "CREATE DATABASE collated TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C.UTF-8'")
            try await database.execute("UPDATE pg_database SET datcollversion = 'old' WHERE datname = 'collated'")
        }
        let heard = Collected<Notice>()
        let settings = DatabaseSettings(url: try await SharedServer.server.conninfo(database: "collated")) { notice in
            heard.add(notice)
        }
        let database = Database(settings)
        try await database.execute("SELECT 1")
        await database.close()
        #expect(heard.values.map(\.severity) == ["WARNING"])
    }

    @Test func aStatementTimeoutIsSetWhenAsked() async throws {
        try await SharedServer.withDatabase({ $0.statementTimeout = .milliseconds(1500) }) { database async throws in
            #expect(try await database.query("SHOW statement_timeout") { try $0[0].string(0) } == "1500ms")
        }
        try await SharedServer.withDatabase({ ($0.statementTimeout, $0.prepare) = (.seconds(1), .never) }) {
            database async throws in
            #expect(try await database.query("SHOW statement_timeout") { try $0[0].string(0) } == "0")
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
            #expect(try await database.query(sql) { try $0[0].string(0) } == "tests")
        }
        try await SharedServer.withDatabase({ $0.url += " application_name=theirs" }) { database async throws in
            #expect(try await database.query(sql) { try $0[0].string(0) } == "theirs")
        }
    }
}
