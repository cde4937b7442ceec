import PostgresServer
import Synchronization
import Testing

@testable import Postgres

/// One outage, seen by all clients together. Who is not woken sleeps ten minutes, and the time limit says so.
@Suite(.timeLimit(.minutes(10))) struct OutageTests {
    /// Counts attempts to connect, and answers as told.
    private final class Server: Sendable {
        struct State {
            var isThere = false
            var takesChanges = true
            var attempts = 0
        }

        let state = Mutex(State())

        var attempts: Int { state.withLock { $0.attempts } }

        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

        func connect() throws(DatabaseError) -> Bool {
            let (isThere, takesChanges) = state.withLock { state in
                state.attempts += 1
                return (state.isThere, state.takesChanges)
            }
            guard isThere else { throw DatabaseError(doing: "connect", sqlState: "57P03", message: "not yet") }
            return takesChanges
        }
    }

    private func outage(of server: Server) -> Outage {
        Outage { () async throws(DatabaseError) in try server.connect() }
    }

    @Test func oneAsksAndTheOthersGetItsAnswer() async throws {
        let server = Server()
        let outage = outage(of: server)
        outage.couldNotConnect()
        let errors = await withTaskGroup { group in
            for _ in 1...20 {
                group.addTask {
                    do throws(DatabaseError) {
                        try await outage.waitForServer()
                        return ""
                    } catch {
                        return error.message
                    }
                }
            }
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(errors == Array(repeating: "not yet", count: 20))
        #expect(server.attempts <= 2)
    }

    @Test func whoSleepsIsWokenWhenTheServerIsBack() async throws {
        let server = Server()
        let outage = outage(of: server)
        outage.couldNotConnect()
        let sleepers = (1...10).map { _ in Task { await outage.sleep(atMost: .seconds(600)) } }
        while server.attempts < 2 { await Task.yield() }
        server.change { $0.isThere = true }
        for sleeper in sleepers { #expect(await sleeper.value) }
        #expect(!outage.isAway)
    }

    @Test func aSleepThatBeganBeforeTheOutageEndsWithIt() async throws {
        let server = Server()
        let outage = outage(of: server)
        let early = Task { await outage.sleep(atMost: .seconds(600)) }
        while outage.waiting == 0 { await Task.yield() }
        outage.sessionWasLost()
        server.change { $0.isThere = true }
        #expect(await outage.sleep(atMost: .seconds(600)))
        #expect(await early.value)
    }

    @Test func aFailureReportedJustAfterTheOutageDoesNotWait() async throws {
        let server = Server()
        let outage = outage(of: server)
        outage.couldNotConnect()
        outage.connected()
        #expect(await outage.sleep(atMost: .seconds(600)))
    }

    @Test func withoutAnOutageASleepLastsAsLongAsItWasAskedTo() async throws {
        let server = Server()
        let began = ContinuousClock.now
        #expect(await outage(of: server).sleep(atMost: .milliseconds(50)) == false)
        #expect(ContinuousClock.now - began >= .milliseconds(50))
        #expect(server.attempts == 0)
    }

    @Test func aServerThatTakesNoChangesIsNotBack() async throws {
        let server = Server()
        server.change { ($0.isThere, $0.takesChanges) = (true, false) }
        let outage = outage(of: server)
        outage.changeWasRefused()
        try await outage.waitForServer()  // for who only reads, it is there
        let sleeper = Task { await outage.sleep(atMost: .seconds(600)) }
        while server.attempts < 3 { await Task.yield() }
        server.change { $0.takesChanges = true }
        #expect(await sleeper.value)
    }

    @Test func nobodyAsksWhenNobodyWaits() async throws {
        let server = Server()
        let outage = outage(of: server)
        outage.couldNotConnect()
        #expect(await outage.sleep(atMost: .milliseconds(300)) == false)
        while outage.isProbing { await Task.yield() }  // what it was about to ask when the sleep ended
        #expect(outage.isAway && outage.waiting == 0)
    }

    @Test func whoIsCancelledLeaves() async throws {
        let outage = outage(of: Server())
        outage.couldNotConnect()
        let asking = Task { try await outage.waitForServer() }
        let sleeping = Task { await outage.sleep(atMost: .seconds(600)) }
        while outage.waiting < 2 { await Task.yield() }
        asking.cancel()
        sleeping.cancel()
        #expect(await sleeping.value == false)
        _ = await asking.result
    }

    /// What a worker does: every statement fails, and each caller backs off for seconds.
    @Test func statementsWorkAgainSoonAfterARestart() async throws {
        let server = try await TemporaryServer.start()
        let database = Database(DatabaseSettings(url: server.conninfo(), maximumConnections: 2))
        let another = database.another(maximumConnections: 1)
        #expect(try await database.execute("SELECT 1") == 1)
        #expect(try await another.execute("SELECT 1") == 1)
        await server.halt(.immediate)
        let (refusals, refused) = AsyncStream<DatabaseError>.makeStream()
        let waiting = [database, another].map { client in
            Task {
                while true {
                    do throws(DatabaseError) {
                        return try await client.execute("SELECT 1")
                    } catch {
                        refused.yield(error)
                        await client.waitUntilBack(atMost: 600)
                    }
                }
            }
        }
        var seen: [DatabaseError] = []
        for await refusal in refusals {
            seen.append(refusal)
            if seen.count == 2 { break }
        }
        #expect(seen.allSatisfy { $0.isTransient }, "\(seen)")
        try await server.startAgain()
        for client in waiting { #expect(await client.value == 1) }
        await database.close()
        await another.close()
        await server.stop()
    }
}
