import Testing

@testable import Postgres

@Suite struct ConnectionPoolTests {
    @Test func connectionsAreReusedAndNoMoreAreOpenedThanNeeded() async throws {
        try await SharedServer.withDatabase { database async throws in
            var sessions: Set<Int32> = []
            for _ in 1...10 { sessions.insert(try await database.withConnection { try await $0.serverProcess() }) }
            #expect(sessions.count == 1)
        }
    }

    @Test func noMoreConnectionsAreOpenThanAllowed() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 3 }) { database async throws in
            let sessions = try await withThrowingTaskGroup { group in
                for _ in 1...30 {
                    group.addTask { try await database.withConnection { try await $0.serverProcess() } }
                }
                return try await group.reduce(into: Set<Int32>()) { $0.insert($1) }
            }
            #expect((1...3).contains(sessions.count))
        }
    }

    @Test func waitersAreServedInTheOrderTheyCame() async throws {
        let order = Collected<Int>()
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            var waiters: [Task<Void, any Error>] = []
            try await database.withConnection { _ in
                for number in 0..<20 {
                    waiters.append(
                        Task {
                            try await database.withConnection { _ in order.add(number) }
                        })
                    while database.waiting <= number { await Task.yield() }
                }
                #expect(order.values == [])
            }
            for waiter in waiters { try await waiter.value }
        }
        #expect(order.values == Array(0..<20))
    }

    @Test func aCancelledWaiterLeavesTheQueue() async throws {
        try await SharedServer.withDatabase({ $0.maximumConnections = 1 }) { database async throws in
            try await database.withConnection { _ in
                let waiter = Task { try await database.execute("SELECT 1") }
                while database.waiting < 1 { await Task.yield() }
                waiter.cancel()
                let error = await #expect(throws: DatabaseError.self) { try await waiter.value }
                #expect(error?.isTransient == true)
                #expect(database.waiting == 0)
            }
            #expect(try await database.execute("SELECT 1") == 1)
        }
    }

    @Test func aClosedPoolFailsThoseWhoWaitAndEmptiesAsTheyReturn() async throws {
        let pool = ConnectionPool(limit: 1)
        #expect(try await pool.take().isEmpty)
        let waiter = Task { try await pool.take() }
        while pool.waiting < 1 { await Task.yield() }
        #expect(pool.close().isEmpty)
        #expect(await waiter.result.failure?.message == "it was closed")
        let empty = Task { await pool.allBack() }
        #expect(pool.use == Database.Use(out: 1, ready: 0, waiting: 0, limit: 1))
        pool.giveBack(nil)
        await empty.value
        await #expect(throws: DatabaseError.self) { try await pool.take() }
        await pool.allBack()
    }

    @Test func aPlaceGivenBackGoesToTheCallerThatWaits() async throws {
        let pool = ConnectionPool(limit: 1)
        _ = try await pool.take()
        let waiter = Task { try await pool.take() }
        while pool.waiting < 1 { await Task.yield() }
        pool.giveBack(nil)
        #expect(try await waiter.value.isEmpty)
        #expect(pool.use == Database.Use(out: 1, ready: 0, waiting: 0, limit: 1))
    }
}

extension ConnectionPool.Place {
    fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
}

extension Result where Failure == any Error {
    fileprivate var failure: DatabaseError? {
        if case .failure(let error) = self { error as? DatabaseError } else { nil }
    }
}
