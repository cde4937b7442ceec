import Postgres
import Synchronization
import TestSupport
import Testing

@testable import PushWorker
@testable import Store

/// A worker posts nothing more before others may declare it dead.
@Suite(.timeLimit(.minutes(10))) struct HeartbeatAgeTests {
    private let it = HeartbeatFixture()

    @Test(arguments: [(5.0, 2.5), (8, 4), (15, 10), (300, 295)])
    func aBeatIsFreshUntilOthersMayDeclareUsDead(_ lease: Double, _ seconds: Double) {
        let it = HeartbeatFixture(lease: lease)
        it.time.pass(seconds - 0.01)
        #expect(it.heartbeat.isFresh)
        it.time.pass(0.02)
        #expect(!it.heartbeat.isFresh)
        #expect(abs(it.heartbeat.age - seconds - 0.01) < 1e-6)
    }

    /// The others may have seen it as soon as it was sent.
    @Test func aBeatCountsFromWhenItWasSent() async {
        let age = Mutex(0.0)
        it.workers.onBeat { [time = it.time] n in
            time.pass(4)  // a slow database
            return .success(.alive(n))
        }
        it.time.duringSleep { [heartbeat = it.heartbeat] _ in age.withLock { $0 = heartbeat.age } }
        await it.run(beats: 3)
        #expect(age.withLock { $0 } == 4)
    }

    @Test func beatsKeepAWorkerFresh() async {
        it.workers.onBeat { .success(.alive($0)) }
        await it.run(beats: 20)
        #expect(it.heartbeat.isFresh)
        #expect(it.time.slept.count == 20 && it.time.slept.allSatisfy { (2.4...3).contains($0) })
        #expect(it.log.fields { _ in true }.isEmpty)
    }

    /// Then the database answers, and our count stands still.
    @Test func aBeatOfARowThatAnotherSessionHoldsDoesNotCount() async {
        it.workers.onBeat { .success(.alive(min($0, 2))) }
        await it.run(beats: 7)
        #expect(it.heartbeat.age >= 5 * 2.4)
        #expect(!it.heartbeat.isFresh)
    }

    @Test func aBeatThatFailsDoesNotCountAndIsTriedAgain() async {
        it.workers.onBeat { [time = it.time] n in
            guard n > 1, n < 6 else { return .success(.alive(n)) }
            time.pass(3)
            return .failure(.away)
        }
        let ages = Mutex<[Double]>([])
        it.time.duringSleep { [heartbeat = it.heartbeat] _ in
            let age = heartbeat.age
            ages.withLock { $0.append(age) }
        }
        #expect(await it.run(beats: 6) == nil)
        #expect(it.workers.waits.count == 4 && it.workers.waits.allSatisfy { (2.4...3).contains($0) })
        #expect(it.log.fields(of: "cannot send a heartbeat; trying again").count == 4)
        #expect(ages.withLock { $0 } == [0, 0], "after the first and the last")
    }

    @Test func aWorkerThatWasDeclaredDeadBeginsAnew() async {
        it.workers.onBeat { $0 < 3 ? .success(.alive($0)) : .success(Workers.Beat()) }
        #expect(await it.run(beats: 10) == .declaredDead)
        #expect(it.workers.beats.count == 3)
    }

    @Test func aReplacedServerMakesItBeginAnew() async {
        let replaced = DatabaseError(doing: "send a heartbeat", sqlState: "PT001", message: "another server")
        it.workers.onBeat { $0 < 3 ? .success(.alive($0)) : .failure(replaced) }
        #expect(await it.run(beats: 10) == .serverReplaced)
        #expect(it.workers.beats.count == 3)
    }

    @Test func itSaysWhatTheWorkerDoes() async throws {
        let report = HubReport(hub: 3, window: 64)
        let it = HeartbeatFixture(reports: [report])
        it.workers.onBeat { .success(.alive($0)) }
        it.ownClaims.learn(120, of: "news")
        await it.run(beats: 2)
        let beats = it.workers.beats
        #expect(beats.map(\.doing) == ["3 posts recorded", "3 posts recorded"])
        #expect(beats.map(\.trouble) == ["no answer", "no answer"])
        #expect(beats.map(\.reports) == [[report], [report]])
        #expect(beats.map(\.lowestClaim) == [nil, 100], "first a look at all claims, then at those that may be ours")
    }

    /// Nobody waits for the next beat, which may be a minute away, to learn that the server was replaced.
    @Test func aBeatInAHurryDoesNotWait() async throws {
        let it = HeartbeatFixture(lease: 300, sleep: .system)
        it.workers.onBeat { .success(.alive($0)) }
        let running = Beside { [it] in _ = await it.run(beats: 3) }
        try await Awaited.until("three beats") {
            it.heartbeat.hurry()
            return (it.workers.beats.count, running.isOver)
        }
    }
}
