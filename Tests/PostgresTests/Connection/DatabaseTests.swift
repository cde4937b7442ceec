import Testing

@testable import Postgres

@Suite struct DatabaseTests {
    @Test func aSessionLostInUseIsATransientErrorAndTheNextQueryWorks() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            try await database.withConnection { connection async throws in
                let session = try await connection.serverProcess()
                try await SharedServer.end(session)
                let error = await #expect(throws: DatabaseError.self) { try await connection.execute("SELECT 1") }
                #expect(error?.isTransient == true)
                let again = await #expect(throws: DatabaseError.self) { try await connection.execute("SELECT 1") }
                #expect(again?.isTransient == true)
            }
            #expect(try await database.execute("SELECT 1") == 1)
        }
    }

    @Test func aSessionLostWhileIdleIsReplacedUnnoticed() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            for _ in 1...3 {
                let session = try await database.withConnection { try await $0.serverProcess() }
                try await SharedServer.end(session)
                #expect(try await database.execute("SELECT 1") == 1)
            }
        }
    }

    @Test func anUnreachableServerIsATransientErrorEveryTime() async throws {
        let database = Database(DatabaseSettings(url: "host=/nowhere", maximumConnections: 1))
        for _ in 1...3 {
            let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
            #expect(error?.isTransient == true)
            #expect(error?.doing == "connect to the database")
        }
        await database.close()
    }

    @Test func aTransactionIsCommitted() async throws {
        try await SharedServer.withDatabase { database async throws in
            try await database.script("CREATE TABLE kept (n int)")
            let value = try await database.withTransaction { connection async throws in
                try await connection.execute("INSERT INTO kept VALUES (1)")
                #expect(try await database.query("SELECT count(*) FROM kept") { try $0.single { try $0.int64() } } == 0)
                return "done"
            }
            #expect(value == "done")
            #expect(try await database.query("SELECT count(*) FROM kept") { try $0.single { try $0.int64() } } == 1)
        }
    }

    @Test func aTransactionIsRolledBackWhenItsBodyThrows() async throws {
        struct ChangeOfMind: Error {}
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            try await database.script("CREATE TABLE regretted (n int)")
            await #expect(throws: ChangeOfMind.self) {
                try await database.withTransaction { connection async throws in
                    try await connection.execute("INSERT INTO regretted VALUES (1)")
                    throw ChangeOfMind()
                }
            }
            #expect(
                try await database.query("SELECT count(*) FROM regretted") { try $0.single { try $0.int64() } } == 0)
        }
    }

    @Test func aTransactionWithASwallowedErrorIsNotCommitted() async throws {
        try await SharedServer.withDatabase { database async throws in
            let error = await #expect(throws: DatabaseError.self) {
                try await database.withTransaction { connection async throws in
                    _ = try? await connection.execute("SELECT 1 / 0")
                }
            }
            #expect(error?.sqlState == "25P02")
            #expect(error?.doing == "commit")
        }
    }

    @Test func aConnectionLeftInATransactionIsNotLentAgain() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            let session = try await database.withConnection { connection async throws in
                try await connection.execute("BEGIN")
                return try await connection.serverProcess()
            }
            #expect(try await database.withConnection { try await $0.serverProcess() } != session)
        }
    }

    @Test func aScriptIsOneTransaction() async throws {
        try await SharedServer.withDatabase { database async throws in
            await #expect(throws: DatabaseError.self) {
                try await database.script("CREATE TABLE halfway (n int); SELECT 1 / 0; CREATE TABLE rest (n int)")
            }
            #expect(
                try await database.query("SELECT to_regclass('halfway') IS NULL") { try $0.single { try $0.bool() } })
        }
    }

    @Test func aClosedDatabaseLendsNothing() async throws {
        let database = Database(try await SharedServer.settings())
        let session = try await database.withConnection { connection async throws in
            let waiter = Task { await database.close() }
            while (try? await database.execute("SELECT 1")) != nil {}  // until it is being closed
            #expect(try await connection.execute("SELECT 2") == 1)  // a lent connection still works
            return (try await connection.serverProcess(), waiter)
        }
        await session.1.value
        let error = await #expect(throws: DatabaseError.self) { try await database.execute("SELECT 1") }
        #expect(error?.message == "it was closed")
    }

    @Test func theConnectionThatIsOutForLongestIsTimed() async throws {
        try await SharedServer.withDatabase { database async throws in
            #expect(database.longestUse == nil)
            try await database.withConnection { first async throws in
                try await first.execute("SELECT pg_sleep(0.02)")
                let one = try #require(database.longestUse)
                #expect(one >= 0.02)
                try await database.withConnection { second async throws in
                    try await second.execute("SELECT 1")
                    #expect(try #require(database.longestUse) >= one)
                }
                #expect(try #require(database.longestUse) >= one)
            }
            #expect(database.longestUse == nil)
        }
    }
}
