import Postgres
import Store
import Synchronization
import Testing

@testable import PushWorker

/// What dead workers held, and what this one lost, goes back to work.
@Suite(.timeLimit(.minutes(10))) struct HeartbeatRescueTests {
    private static let one = WorkerID(number: 2, epoch: 22)
    private static let other = WorkerID(number: 3, epoch: 33)

    private let it = HeartbeatFixture()

    /// A worker whose beats stand still.
    private static func still(_ id: WorkerID) -> Workers.Seen { Workers.Seen(id: id, beats: 7, leaseSeconds: 15) }

    /// Beats of which each finds these workers standing still, until they are rescued.
    private func find(_ dead: WorkerID...) {
        it.workers.onBeat { [rescued = saved] n in
            let left = dead.filter { !rescued.contains($0) }
            return .success(.alive(n, others: left.map(Self.still)))
        }
    }

    /// Workers that were rescued.
    private let saved = Saved()

    private final class Saved: Sendable {
        private let workers = Mutex<[(id: WorkerID, at: Double)]>([])
        var all: [WorkerID] { workers.withLock { $0.map(\.id) } }
        var times: [Double] { workers.withLock { $0.map(\.at) } }
        func contains(_ id: WorkerID) -> Bool { all.contains(id) }
        func add(_ id: WorkerID, at time: Double) { workers.withLock { $0.append((id, time)) } }
    }

    @Test func aWorkerThatStandsStillForALeaseIsRescuedAndNotBefore() async throws {
        let began = it.time.now
        it.workers.onBeat { [saved] n in
            let living = Workers.Seen(id: Self.other, beats: Int64(n), leaseSeconds: 15)
            return .success(.alive(n, others: saved.all.isEmpty ? [Self.still(Self.one), living] : [living]))
        }
        it.workers.onRescue { [saved, time = it.time] id in
            saved.add(id, at: time.now)
            return .success(Workers.Rescued(claims: 2, returned: 30, doubted: 4))
        }
        await it.run(beats: 40)

        #expect(saved.all == [Self.one], "once, and the living one never")
        let after = try #require(saved.times.first) - began
        #expect(after >= 15 && after <= 18, "at the next beat, after \(after) s")
        #expect(it.workers.rescued.allSatisfy { $0.seconds.map { $0 > 0 && $0 <= 3 } ?? false })
        let lines = it.log.fields(of: "rescued a dead worker")
        #expect(lines == [["worker": "2", "claims": "2", "returned": "30", "in_doubt": "4"]])
        #expect(it.startsOver == 1)
    }

    /// While we did not see it, it may have beaten and stood still again.
    @Test func aBeatThatFailedBeginsEveryLeaseAnew() async throws {
        let failedAt = Mutex(0.0)
        it.workers.onBeat { [time = it.time] n in
            guard n == 5 else { return .success(.alive(n, others: [Self.still(Self.one)])) }
            failedAt.withLock { $0 = time.now }
            return .failure(.away)
        }
        it.workers.onRescue { [saved, time = it.time] id in
            saved.add(id, at: time.now)
            return .success(Workers.Rescued(claims: 1))
        }
        await it.run(beats: 14)
        #expect(try #require(saved.times.first) - failedAt.withLock { $0 } >= 15)
    }

    @Test func aRescueThatFailsIsSaidOnceAndKeepsNoOtherFromBeingRescued() async {
        find(Self.one, Self.other)
        it.workers.onRescue { [saved, time = it.time] id in
            guard id == Self.other else { return .failure(.refusal) }
            saved.add(id, at: time.now)
            return .success(Workers.Rescued(claims: 1, returned: 1))
        }
        await it.run(beats: 30)
        #expect(saved.all == [Self.other])
        #expect(it.workers.rescued.count { $0.worker == Self.one } > 15, "it is tried with every beat")
        let lines = it.log.fields(of: "cannot rescue a dead worker")
        #expect(lines == [["worker": "2", "error": "22000 never"]])
        #expect(it.workers.beats.count == 30)
    }

    @Test func anotherReasonIsSaidToo() async {
        find(Self.one)
        it.workers.onRescue { [workers = it.workers] _ in .failure(workers.rescued.count < 4 ? .refusal : .away) }
        await it.run(beats: 20)
        let lines = it.log.fields(of: "cannot rescue a dead worker")
        #expect(lines.map { $0["error"] } == ["22000 never", "server closed the connection"])
    }

    @Test func aLongRescueDelaysNoBeat() async throws {
        find(Self.one, Self.other)
        let beats = Mutex<[Int]>([])
        it.workers.onRescue { [saved, workers = it.workers, time = it.time] id in
            time.pass(3.5)
            saved.add(id, at: time.now)
            let n = workers.beats.count
            beats.withLock { $0.append(n) }
            return .success(Workers.Rescued(claims: 500))
        }
        await it.run(beats: 30)
        let (first, second) = beats.withLock { ($0.first, $0.last) }
        #expect(saved.all == [Self.one, Self.other])
        #expect(second == first.map { $0 + 1 }, "a beat comes first")
    }

    /// It takes all the time there is between two beats, each time.
    @Test func aRescueThatFailsSlowlyKeepsNoOtherWaiting() async {
        find(Self.one, Self.other)
        it.workers.onRescue { [saved, time = it.time] id in
            guard id == Self.other else {
                time.pass(3.5)
                return .failure(.refusal)
            }
            saved.add(id, at: time.now)
            return .success(Workers.Rescued(claims: 1))
        }
        await it.run(beats: 20)
        #expect(saved.all == [Self.other])
    }

    @Test func claimsThatCannotBeRescuedAreSaidOnce() async {
        find(Self.one)
        it.workers.onRescue { [workers = it.workers] _ in
            var found = Workers.Rescued()
            found.failed = workers.rescued.count < 4 ? [8] : [8, 9]
            found.failure = "23514 a row that breaks a rule"
            return .success(found)
        }
        await it.run(beats: 20)
        let lines = it.log.fields(of: "claims cannot be rescued; push.claim.trouble says why")
        #expect(lines.map { $0["error"] } == Array(repeating: "23514 a row that breaks a rule", count: 2))
        #expect(lines.map { $0["claims"]?.filter(\.isNumber) } == ["8", "9"])
        #expect(it.startsOver == 0)
        #expect(it.watch.trouble == nil, "it does not pass by itself, and push.lost names it")
    }

    /// Nothing else may be written meanwhile, so nothing else would say that the messages of the dead worker wait.
    @Test func aRescueThatHasNoRoomIsATroubleUntilItSucceeds() async {
        let troubles = Mutex<[String?]>([])
        it.workers.onBeat { [saved, watch = it.watch] n in
            troubles.withLock { $0.append(watch.trouble?.words) }
            return .success(.alive(n, others: saved.all.isEmpty ? [Self.still(Self.one)] : []))
        }
        it.workers.onRescue { [saved, workers = it.workers, time = it.time] id in
            guard workers.rescued.count > 6 else {
                var found = Workers.Rescued()
                found.failed = [8]
                found.failure = "53100 could not extend file"
                return .success(found)
            }
            saved.add(id, at: time.now)
            return .success(Workers.Rescued(claims: 1, returned: 3))
        }
        await it.run(beats: 30)
        let said = troubles.withLock { $0.compactMap(\.self) }
        #expect(said.count >= 5)
        #expect(
            said.allSatisfy { $0.contains("cannot write to the database") && $0.contains("53100 could not extend") })
        #expect(it.watch.trouble == nil)
        #expect(it.log.fields(of: "claims cannot be rescued now; trying again").count == 1)
        #expect(it.log.fields(of: "the database takes changes again").count == 1)
    }

    @Test func deletedMessagesAreSaid() async {
        find(Self.one)
        it.workers.onRescue { [saved, time = it.time] id in
            saved.add(id, at: time.now)
            var found = Workers.Rescued(claims: 1)
            found.missing = [77]
            return .success(found)
        }
        await it.run(beats: 20)
        let lines = it.log.fields(of: "messages of a claim were deleted from push.message; they are dropped")
        #expect(lines.map { $0["messages"]?.filter(\.isNumber) } == ["77"])
    }

    @Test func aClaimThatIsUnknownTwiceIsTakenBack() async {
        it.ownClaims.learn(5, of: "news")
        it.workers.onBeat { [workers = it.workers] n in
            .success(.alive(n, claims: workers.takenBack.isEmpty ? [5, 6] : [5]))
        }
        it.workers.onTakeBack { _ in .success(Workers.Rescued(claims: 1, returned: 2)) }
        await it.run(beats: 1)
        #expect(it.workers.takenBack == [], "its answer may be on its way")
        await it.run(beats: 5)
        #expect(it.workers.takenBack == [[6]])
        #expect(it.startsOver == 1)
        let lines = it.log.fields(of: "took back claims whose answer was lost")
        #expect(lines == [["claims": "1", "returned": "2", "in_doubt": "0"]])
    }

    @Test func aClaimThatCannotBeTakenBackIsTriedWithEveryBeat() async {
        it.workers.onBeat { [workers = it.workers] n in
            .success(.alive(n, claims: workers.takenBack.count < 4 ? [6] : []))
        }
        it.workers.onTakeBack { [workers = it.workers] _ in
            workers.takenBack.count < 4 ? .failure(.away) : .success(Workers.Rescued(claims: 1))
        }
        await it.run(beats: 8)
        #expect(it.workers.takenBack == [[6], [6], [6], [6]])
        #expect(it.log.fields(of: "cannot take back claims whose answer was lost").count == 3)
        #expect(it.startsOver == 0, "nothing went back to due")
    }
}
