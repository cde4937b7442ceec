import Testing

@testable import Postgres

@Suite struct PreparedStatementsTests {
    /// The statements that this session has prepared.
    private func prepared(_ connection: Connection) async throws -> [String] {
        let text =
            "SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%/*p*/%' AND statement NOT LIKE '%LIKE%'"
        return try await connection.query("\(raw: text)") { try $0.map { row in try row.string() } }
    }

    private func double(_ number: Int, on connection: Connection) async throws -> Int64 {
        try await connection.query("SELECT \(number) * 2 /*p*/") { try $0.single { try $0.int64() } }
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
                try await connection.script("DEALLOCATE ALL")  // as the next transaction finds it in another session
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

    @Test func aTableThatGainedAColumnIsStillRead() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.script("CREATE TABLE grown (a int); INSERT INTO grown VALUES (1)")
            try await database.withConnection { connection async throws in
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 1)
                try await connection.script("ALTER TABLE grown ADD b int")
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 2)
                #expect(try await connection.query("SELECT * FROM grown") { $0.columns } == 2)
                let count = try await connection.query(
                    "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT * FROM grown'"
                ) { try $0.single { try $0.int64() } }
                #expect(count == 2)  // it still prepares: the stale one and its replacement
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
                #expect(
                    try await connection.query(sql) { try $0.single { try $0.int64() } }
                        == Int64(PreparedStatements.limit))
            }
        }
    }
}
