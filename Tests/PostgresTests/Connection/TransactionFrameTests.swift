import Testing

@testable import Postgres

@Suite struct TransactionFrameTests {
    @Test func aFrameThatReadsRefusesChanges() async throws {
        try await SharedServer.withDatabase { plain async throws in
            let framed = plain.framed(by: TransactionFrame())
            await #expect {
                try await framed.execute("CREATE TABLE no (id int)")
            } throws: {
                ($0 as? DatabaseError)?.is(.readOnlyTransaction) == true
            }
            #expect(try await framed.text("SHOW transaction_read_only") == "on")
            #expect(try await plain.text("SHOW transaction_read_only") == "off")
        }
    }

    @Test func itsSettingsEndWithEachStatement() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            let name = "Ann O'Hara \\ é"
            let framed = plain.framed(
                by: TransactionFrame(statementTimeout: .milliseconds(1_500), settings: ["push.person": name]))
            #expect(try await framed.text("SHOW push.person") == name)
            #expect(try await framed.text("SHOW statement_timeout") == "1500ms")
            #expect(try await plain.text("SELECT current_setting('push.person', true)") == "")
            #expect(try await plain.text("SHOW statement_timeout") != "1500ms")
        }
    }

    @Test func theRoleIsThatOfTheFrame() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            try await plain.script(
                "DO $$ BEGIN IF to_regrole('framed') IS NULL THEN CREATE ROLE framed; END IF; END $$")
            let framed = plain.framed(by: TransactionFrame(role: "framed", settings: ["push.person": "Ann"]))
            #expect(try await framed.text("SELECT current_user::text") == "framed")
            #expect(try await plain.text("SELECT current_user::text") != "framed")
            await #expect {
                try await plain.framed(by: TransactionFrame(role: "nobody of ours")).execute("SELECT 1")
            } throws: {
                ($0 as? DatabaseError)?.doing == "set the rights of a transaction"
            }
            #expect(try await plain.text("SELECT current_user::text") != "framed")
        }
    }

    @Test func aStatementThatTakesTooLongEndsAlone() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            let framed = plain.framed(by: TransactionFrame(statementTimeout: .milliseconds(20)))
            await #expect {
                try await framed.execute("SELECT pg_sleep(20)")
            } throws: {
                ($0 as? DatabaseError)?.is(.queryCancelled) == true
            }
            #expect(try await plain.text("SELECT 'well'") == "well")
        }
    }

    /// What sets the frame, and the statement in it.
    @Test func bothArePreparedOnce() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            let framed = plain.framed(by: TransactionFrame(settings: ["push.person": "Ann"]))
            for number in 1...3 {
                #expect(try await framed.text("SELECT \(Int64(number))::text") == "\(number)")
            }
            #expect(try await framed.text("SELECT count(*)::text FROM pg_prepared_statements") == "3")
        }
    }

    @Test(arguments: [DatabaseSettings.Prepare.auto, .never])
    func afterAMistakeTheSessionGoesOn(prepare: DatabaseSettings.Prepare) async throws {
        try await SharedServer.withDatabase({ ($0.maximumConnections, $0.prepare) = (1, prepare) }) {
            plain async throws in
            let framed = plain.framed(by: TransactionFrame())
            let process = try await framed.text("SELECT pg_backend_pid()::text")
            for sql: SQL in ["SELECT nothing", "SELECT 1/0", "SELEC 1"] {
                await #expect(throws: DatabaseError.self) { try await framed.execute(sql) }
                #expect(try await framed.text("SELECT pg_backend_pid()::text") == process)
            }
            #expect(try await framed.rows("SELECT g FROM generate_series(1, 100000) g").count == 100_000)
            // A COPY is the end of its session, and so is what libpq does not send.
            await #expect(throws: DatabaseError.self) { try await framed.execute("COPY pg_class TO STDOUT") }
            let next = try await framed.text("SELECT pg_backend_pid()::text")
            #expect(next != process)
            var endless: SQL.StringInterpolation = .init(literalCapacity: 0, interpolationCount: 0)
            endless.appendLiteral("SELECT 1")
            for number in 0..<70_000 {
                endless.appendLiteral(", ")
                endless.appendInterpolation(Int32(number))
            }
            let sql = SQL(stringInterpolation: endless)
            await #expect(throws: DatabaseError.self) { try await framed.execute(sql) }
            #expect(try await plain.text("SELECT pg_backend_pid()::text") != next)
        }
    }

    @Test func aStatementThatReturnsOtherColumnsNowIsReadAgain() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            let framed = plain.framed(by: TransactionFrame())
            try await plain.script("CREATE TABLE wide (a text); INSERT INTO wide VALUES ('one')")
            #expect(try await framed.text("SELECT * FROM wide") == "one")
            try await plain.script("ALTER TABLE wide ALTER a TYPE varchar(9)")
            #expect(try await framed.rows("SELECT * FROM wide").count == 1)
            try await plain.script("ALTER TABLE wide ADD b int")
            #expect(try await framed.rows("SELECT * FROM wide").columns == 2)
        }
    }

    @Test func aSessionThatIsLostIsReplaced() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { plain async throws in
            let framed = plain.framed(by: TransactionFrame())
            #expect(try await framed.text("SELECT 'first'") == "first")
            await #expect {
                try await framed.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            } throws: {
                ($0 as? DatabaseError)?.isTransient == true
            }
            #expect(try await framed.text("SELECT 'second'") == "second")
        }
    }

    @Test func aLoanIsOneTransaction() async throws {
        try await SharedServer.withDatabase { plain async throws in
            let framed = plain.framed(by: TransactionFrame(isReadOnly: false))
            try await framed.withConnection { connection in
                try await connection.execute("CREATE TEMPORARY TABLE kept (id int) ON COMMIT DROP")
                #expect(try await connection.execute("INSERT INTO kept VALUES (1), (2)") == 2)
            }
            #expect(try await plain.text("SELECT coalesce(to_regclass('pg_temp.kept')::text, 'gone')") == "gone")
        }
    }
}

extension Database {
    fileprivate func text(_ sql: SQL) async throws -> String {
        try await query(sql) { rows in try rows.single { row in try row.string() } }
    }
}
