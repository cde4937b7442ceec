import Testing

@testable import Postgres

@Suite struct DatabaseErrorTests {
    @Test func anErrorKeepsTheFieldsOfTheServer() async throws {
        try await SharedServer.withDatabase { database in
            try await database.script(
                """
                CREATE TABLE attempt (
                    id bigint PRIMARY KEY,
                    number int NOT NULL CONSTRAINT attempt_is_not_negative CHECK (number >= 0))
                """)
            let check = await #expect(throws: DatabaseError.self) {
                try await database.execute("INSERT INTO attempt VALUES (1, \(Int32(-5)))", doing: "count attempts")
            }
            #expect(check?.sqlState == "23514")
            #expect(check?.constraint == "attempt_is_not_negative")
            #expect(check?.table == "attempt")
            #expect(check?.detail == "Failing row contains (1, -5).")
            #expect(check?.doing == "count attempts")
            #expect(check?.isTransient == false)
            #expect(
                check?.description == "cannot count attempts: 23514 new row for relation \"attempt\" "
                    + "violates check constraint \"attempt_is_not_negative\"")

            let null = await #expect(throws: DatabaseError.self) {
                try await database.execute("INSERT INTO attempt VALUES (1, NULL)")
            }
            #expect(null?.column == "number")
            #expect(null?.doing == "run \"INSERT INTO attempt VALUES (1, NULL)\"")

            let hint = await #expect(throws: DatabaseError.self) {
                try await database.execute("SELECT numbr FROM attempt")
            }
            #expect(hint?.sqlState == "42703")
            #expect(hint?.hint == "Perhaps you meant to reference the column \"attempt.number\".")
        }
    }

    @Test func anErrorInAScriptNamesItsLine() async throws {
        try await SharedServer.withDatabase { database in
            let error = await #expect(throws: DatabaseError.self) {
                try await database.script("SELECT 1;\n-- höher\nSELEC 2;\n", doing: "migrate")
            }
            #expect(error?.line == 3)
            #expect(error?.description == "cannot migrate: 42601 syntax error at or near \"SELEC\" (line 3)")
        }
    }

    @Test(arguments: [
        ("08006", true), ("08P01", false), ("40001", true), ("40P01", true), ("55P03", true), ("57P01", true),
        ("57P02", true), ("57P03", true), ("53300", true), ("57014", false), ("23505", false), ("28P01", false),
        ("3D000", false), ("42P01", false),
    ])
    func theCodeDecidesWhetherAnErrorIsTransient(sqlState: String, isTransient: Bool) {
        #expect(DatabaseError(doing: "try", sqlState: sqlState, message: "").isTransient == isTransient)
    }

    /// While connecting, 08P01 is what pgbouncer says of nearly everything.
    @Test(arguments: [
        ("server login has been failing, try again later (server_login_retry)", "08P01", true),
        ("pgbouncer cannot connect to server", "08P01", true),
        ("FATAL: password authentication failed", "28P01", false),
        ("FATAL: SASL authentication failed", "28P01", false),
        ("FATAL: no such user: anna", "28P01", false),
        ("FATAL: no such database: fanfare", "3D000", false),
        ("FATAL: unsupported startup parameter: options", "08P01", false),
    ])
    func aPoolersRefusalIsCalledWhatItIs(message: String, sqlState: String, isTransient: Bool) {
        let error = DatabaseError(connecting: "connect", sqlState: "08P01", message: message, needsPassword: false)
        #expect(error.sqlState == sqlState)
        #expect(error.isTransient == isTransient)
        #expect((error.hint?.contains("pooler") == true) == (sqlState != "08P01"))
    }

    @Test func aMessageThatTheServerCannotReadIsRefusedForGood() async throws {
        try await SharedServer.withDatabase { database in
            let error = await #expect(throws: DatabaseError.self) {
                try await database.script("DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '08P01'; END $$")
            }
            #expect(error?.sqlState == "08P01")
            #expect(error?.isTransient == false)
        }
    }

    @Test func anErrorThatEndsTheSessionIsTransient() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            let onlooker = database.another(maximumConnections: 1)
            let error = await #expect(throws: DatabaseError.self) {
                try await database.withConnection { connection async throws in
                    let session = try await connection.query("SELECT pg_backend_pid()") { rows in
                        try rows.first { row in try row.int32() } ?? 0
                    }
                    try await connection.script("SET idle_in_transaction_session_timeout = '20ms'; BEGIN")
                    while try await onlooker.execute("SELECT FROM pg_stat_activity WHERE pid = \(session)") > 0 {}
                    try await connection.execute("SELECT 1")
                }
            }
            #expect(error?.isTransient == true)
            #expect(try await database.execute("SELECT 1") == 1)
            await onlooker.close()
        }
    }

    @Test func anErrorIsComparedByTheNameOfItsCode() {
        let error = DatabaseError(doing: "try", sqlState: "55P03", message: "")
        #expect(error.is(.lockNotAvailable))
        #expect(!error.is(.queryCancelled))
        #expect(!DatabaseError(doing: "try", message: "").is(.lockNotAvailable))
    }

    @Test func aRefusedLoginHasItsCodeAndIsNotTransient() async throws {
        let url = try await SharedServer.server.conninfo(database: "no such database")
        let database = Database(DatabaseSettings(url: url))
        let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
        #expect(error?.sqlState == "3D000")
        #expect(error?.isTransient == false)
        #expect(error?.message.hasSuffix("FATAL: database \"no such database\" does not exist") == true)
        await database.close()
    }

    @Test func anotherErrorOfTheClosureIsKept() async throws {
        struct Surprise: Error {}
        try await SharedServer.withDatabase { database in
            let error = await #expect(throws: DatabaseError.self) {
                try await database.query("SELECT 1", doing: "look") { _ in throw Surprise() }
            }
            #expect(error?.underlying is Surprise)
            #expect(error?.doing == "look")
        }
    }
}
