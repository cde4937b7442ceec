import Testing

@testable import PushWorker
@testable import Store

/// A worker whose statement does not end says whom it waits for.
@Suite(.timeLimit(.minutes(10))) struct LockWatchTests {
    private static let waits = "a statement waits for a lock that another session has"
    private static let over = "no statement waits for a lock any more"

    private let it = HeartbeatFixture()
    private let wait = LockWait(
        seconds: 6, table: "push.due", holder: 4711, role: "anna", application: "psql", state: "idle in transaction",
        openSeconds: 40)

    @Test func nobodyIsAskedWhileStatementsEnd() async {
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.setLongestUse(4.9, waitingFor: wait)
        await it.run(beats: 5)
        #expect(it.workers.lockLooks == 0)
        #expect(it.watch.trouble == nil)
    }

    @Test func aWaitIsToldOnceAndKeepsTheWorkerFromBeingReady() async {
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.setLongestUse(6, waitingFor: wait)
        await it.run(beats: 4)
        #expect(it.workers.lockLooks == 4)
        let lines = it.log.fields(of: Self.waits)
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?["holder"] == "4711" && lines.first?["role"] == "anna" && lines.first?["for"] == "push.due")
        #expect(lines.first?["state"] == "idle in transaction" && lines.first?["open_seconds"] == "40.0", "\(lines)")
        let trouble = it.watch.trouble
        #expect(
            trouble?.words.hasSuffix("s: push.due, locked by session 4711 (anna, psql, idle in transaction)") == true,
            "\(trouble?.words ?? "")")
        #expect(trouble?.words.hasPrefix("waits for a lock for ") == true)
        #expect((trouble?.seconds ?? 0) >= 6)
    }

    @Test func itsEndIsToldToo() async {
        it.workers.onBeat { [workers = it.workers] beat in
            if beat == 3 { workers.setLongestUse(nil) }
            return .success(.alive(beat))
        }
        it.workers.setLongestUse(6, waitingFor: wait)
        await it.run(beats: 5)
        let lines = it.log.fields(of: Self.over)
        #expect(lines.count == 1)
        #expect(lines.first?["since_seconds"].flatMap(Double.init).map { $0 > 6 } == true, "\(lines)")
        #expect(it.watch.trouble == nil)
    }

    /// Another session has the lock now: that is another person to call.
    @Test func anotherHolderIsToldAnew() async {
        let other = LockWait(seconds: 1, table: "push.due", holder: 4712)
        it.workers.onBeat { [workers = it.workers] beat in
            if beat == 3 { workers.setLongestUse(9, waitingFor: other) }
            return .success(.alive(beat))
        }
        it.workers.setLongestUse(6, waitingFor: wait)
        await it.run(beats: 5)
        #expect(it.log.fields(of: Self.waits).map { $0["holder"] } == ["4711", "4712"])
        #expect(it.log.fields(of: Self.over) == [])
    }

    /// A long statement is no wait.
    @Test func aStatementThatWorksIsNotTold() async {
        it.workers.onBeat { .success(.alive($0)) }
        it.workers.setLongestUse(30)
        await it.run(beats: 3)
        #expect(it.workers.lockLooks == 3)
        #expect(it.log.fields(of: Self.waits) == [] && it.watch.trouble == nil)
    }
}
