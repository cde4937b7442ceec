import HTTPServer
import Postgres
import PostgresServer
import TestSupport
import Testing

@testable import Console

/// The console behind pgbouncer in transaction mode, where each transaction may run in another session.
@Suite(
    .enabled(if: Pooler.isInstalled, "pgbouncer is not installed: apt-get install pgbouncer"), .timeLimit(.minutes(10)))
struct PooledTests {
    @Test(arguments: [DatabaseSettings.Prepare.auto, .never])
    func everyPageIsShownAndNothingStaysInASession(prepare: DatabaseSettings.Prepare) async throws {
        let server = try await TemporaryServer.start()
        let there = try await EveryPage.bench(in: server).test
        let user = "\(there.name)_push_console"
        let pooler = try Pooler(before: server, user: user)
        try await pooler.listens()
        let login = Database(DatabaseSettings(url: pooler.conninfo(database: there.name), prepare: prepare))
        let console = TestConsole(login)
        for _ in 1...2 {
            // All at once, so that its sessions change hands.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for address in EveryPage.addresses {
                    group.addTask {
                        let response = try #require(try await console.get(address))
                        let page = String(decoding: response.body, as: UTF8.self)
                        #expect(response.status == 200 && !page.contains("Not shown"), "\(address): \(page)")
                    }
                }
                try await group.waitForAll()
            }
        }
        let record = try await console.act("pause-hub", ["hub": "news"])
        #expect(record.state == .done, "\(record.state)")
        #expect(try await there.texts("SELECT action FROM push.audit WHERE person = 'Ann'") == ["pause_hub"])
        for _ in 1...10 {
            let left = try await login.execute(
                "SELECT 1 WHERE current_user <> \(user) OR coalesce(current_setting('push.person', true), '') <> ''")
            #expect(left == 0)
        }
        await login.close()
        await there.database.close()
        await server.stop()
    }
}
