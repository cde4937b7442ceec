import Testing

@testable import Postgres

@Suite struct NoticeTests {
    @Test func noticesReachTheClosure() async throws {
        let notices = Collected<Notice>()
        try await SharedServer.withDatabase({ $0.onNotice = { notice in notices.add(notice) } }) {
            database async throws in
            try await database.script(
                "DO $$ BEGIN RAISE NOTICE 'mind %', 'the gap'; RAISE WARNING 'hot' USING HINT = 'wait'; END $$")
        }
        #expect(
            notices.values == [
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
        let notices = Collected<Notice>()
        let settings = DatabaseSettings(url: try await SharedServer.server.conninfo(database: "collated")) { notice in
            notices.add(notice)
        }
        let database = Database(settings)
        try await database.execute("SELECT 1")
        await database.close()
        #expect(notices.values.map(\.severity) == ["WARNING"])
    }
}
