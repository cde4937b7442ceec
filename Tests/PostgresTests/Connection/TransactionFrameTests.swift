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
