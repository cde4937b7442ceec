import PushModel
import Synchronization
import TestSupport
import Testing

@testable import PushWorker
@testable import Store

/// Which lanes a poller asks for, and when, without a server. Time passes only while it sleeps.
@Suite(.timeLimit(.minutes(10))) struct DuePollerLookTests {
    private let store = MemoryDue()
    private let time = ManualTime()
    private let log = LogRecorder()

    private static func hub(_ id: Int32) throws -> HubContext {
        try HubContext.make(id, HubSettings(name: "hub_\(id)", hub: "hub"))
    }

    private func id(_ hub: Int32, _ priority: Priority = .normal) -> Queue.LaneID {
        Queue.LaneID(hub: hub, priority: priority)
    }

    /// Lanes that rested and were told to begin.
    private final class Begun: Sendable {
        private let lanes = Mutex<[Int]>([])
        var all: [Int] { lanes.withLock { $0.sorted() } }
        func add(_ lane: Int) { lanes.withLock { $0.append(lane) } }
    }

    /// A poller at work.
    private struct AtWork {
        let poller: DuePoller
        let hubs: [HubContext]
        let time: ManualTime
        let begun: Begun

        static func number(_ hub: Int, _ priority: Priority) -> Int { hub * 3 + Int(priority.rawValue) }

        func rest(_ hub: Int, _ priority: Priority, cursor: DueCursor = DueCursor()) async {
            await poller.rest(Self.number(hub, priority), hub: hubs[hub], priority: priority, cursor: cursor)
        }

        func restAll() async {
            for hub in hubs.indices { for priority in Priority.allCases { await rest(hub, priority) } }
        }

        /// The lane waits beside the test.
        func wait(_ hub: Int, _ priority: Priority, cursor: DueCursor = DueCursor()) -> Beside {
            let (poller, hubs) = (poller, hubs)
            return Beside {
                _ = await poller.waitUntilDue(
                    Self.number(hub, priority), hub: hubs[hub], priority: priority, cursor: cursor)
            }
        }

        func waitAll() -> [[Beside]] {
            hubs.indices.map { hub in Priority.allCases.map { wait(hub, $0) } }
        }
    }

    private func atWork(hubs count: Int32, _ body: (AtWork) async throws -> Void) async throws {
        let hubs = try (1...count).map { try Self.hub($0) }
        let poller = DuePoller(
            queue: store, store: store, hubs: hubs, watch: DatabaseWatch(clock: time.clock, log: log.logger),
            settings: DispatchSettings(), clock: time.clock, log: log.logger, sleep: time.sleep)
        let running = Beside { await poller.run() }
        let begun = Begun()
        let beginning = Beside { for await due in poller.dueLanes { begun.add(due.lane) } }
        do {
            try await body(AtWork(poller: poller, hubs: hubs, time: time, begun: begun))
        } catch {
            await poller.end()
            throw error
        }
        await poller.end()
        try await running.untilOver("a poller that ends")
        try await beginning.untilOver("the last lane that begins")
    }

    private func until(_ what: String, _ isSo: @escaping @Sendable () async -> Bool) async throws {
        try await Awaited.until(what) {
            let now = await isSo()
            return (now, now)
        }
    }

    @Test func onlyTheLaneWithSomethingDueWakes() async throws {
        try await atWork(hubs: 2) { work in
            let lanes = work.waitAll()
            try await until("all lanes that wait") { await work.poller.idleLanes == 6 }
            store.setDue([id(2, .urgent)])
            try await lanes[1][0].untilOver("the lane with something due")
            #expect(await work.poller.idleLanes == 5)
            #expect(lanes.joined().filter(\.isOver).count == 1)
            #expect(store.dormantLooks == 0, "six lanes are few")
        }
    }

    /// A hub that is paused, or asked to wait, is not asked for: its lanes would claim and give back.
    @Test func aClosedHubIsNotAskedForUntilItOpens() async throws {
        store.setStates([Hubs.State(hub: 1, pausedBy: "ada"), Hubs.State(hub: 2)])
        store.setDue([id(1), id(2)])
        try await atWork(hubs: 2) { work in
            try await until("gates that were read") { !work.hubs[0].gate.isOpen(now: work.time.now) }
            let lanes = work.waitAll()
            try await lanes[1][1].untilOver("the lane of the open hub")
            #expect(store.asked.allSatisfy { !$0.contains(id(1)) })
            #expect(!lanes[0][1].isOver)
            store.setStates([Hubs.State(hub: 1), Hubs.State(hub: 2)])
            try await lanes[0][1].untilOver("the lane of the hub that was resumed")
        }
    }

    @Test func aLaneThatRestsBeginsWhenSomethingIsDue() async throws {
        try await atWork(hubs: 2) { work in
            await work.restAll()
            #expect(await work.poller.idleLanes == 6)
            store.setDue([id(2, .urgent)])
            try await until("a lane that begins") { work.begun.all == [3] }
            #expect(await work.poller.idleLanes == 5)
        }
    }

    /// It has something in flight, or else it rests; then its cursor goes on where it was.
    @Test func aLaneThatWaitsLearnsThatItIsQuiet() async throws {
        try await atWork(hubs: 1) { work in
            let began = work.time.now
            let lane = work.wait(0, .normal)
            try await lane.untilOver("a quiet minute")
            #expect(work.time.now >= began + 60)
            #expect(await work.poller.idleLanes == 0 && work.begun.all == [])
            await work.rest(0, .normal)
            store.setDue([id(1)])
            try await until("the lane that begins") { work.begun.all == [1] }
        }
    }

    /// While all lanes are dormant there is nothing to ask for a hundred times a second.
    @Test func aPollerOfDormantLanesWakesForTheirLookOnly() async throws {
        try await atWork(hubs: 40) { work in
            await work.restAll()
            let (began, looks, slept) = (work.time.now, store.dormantLooks, work.time.slept.count)
            try await until("ten seconds") { work.time.now > began + 10 }
            let tenths = 10 * (work.time.now - began)
            #expect(Double(store.dormantLooks - looks) > 0.8 * tenths)
            #expect(Double(work.time.slept.count - slept) < 1.5 * tenths, "looks and gates")
            // A lane that works is asked for as often as ever.
            _ = work.wait(6, .normal)
            let asked = work.time.now
            try await until("a second more") { work.time.now > asked + 1 }
            #expect(store.asked.count > 90)
        }
    }

    @Test func withManyHubsQuietLanesAreLookedForTogether() async throws {
        try await atWork(hubs: 40) { work in
            await work.restAll()
            try await until("looks for dormant lanes") { store.dormantLooks > 3 }
            #expect(store.asked.isEmpty, "no lane has worked yet")
            store.setDue([id(7), id(40, .bulk), id(99)])
            try await until("two dormant lanes that begin") { work.begun.all == [19, 119] }
            #expect(await work.poller.idleLanes == 118)
            store.setDue([])

            // It has worked: it is asked for by its cursor, for a minute.
            var cursor = DueCursor()
            cursor.claimed(cursor.begin(now: time.now), seconds: 0, at: DuePosition(dueAt: .infinity, id: 5))
            let lane = work.wait(6, .normal, cursor: cursor)
            try await until("a look for the lane that worked") { store.asked.contains([id(7)]) }
            try await lane.untilOver("a minute without anything due")
            await work.rest(6, .normal, cursor: cursor)
            let began = time.now - 61
            let asked = store.asked.count
            try await until("a second more") { time.now > began + 63 }
            #expect(store.asked.count <= asked + 1, "it is dormant again")
            #expect(await work.poller.idleLanes == 119)
        }
    }

    @Test func aDatabaseThatIsAwayIsAskedAgainAndSeldomLogged() async throws {
        try await atWork(hubs: 1) { work in
            let lanes = work.waitAll()
            try await until("all lanes that wait") { await work.poller.idleLanes == 3 }
            store.fail(.away)
            store.setDue([id(1)])
            try await until("a hundred faults") { store.failed > 100 }
            store.fail(nil)
            try await lanes[0][1].untilOver("the lane, once the database is back")
            let lines = log.fields(of: "cannot look for due messages; trying again").count
            #expect(lines > 0 && lines <= 1 + store.failed / 20)
        }
    }

    @Test func aListenerLetsItSleepAndASignalWakesIt() async throws {
        try await atWork(hubs: 1) { work in
            let lanes = work.waitAll()
            await work.poller.signalled(isListening: true)
            try await until("a poller that sleeps") { await work.poller.isAsleep }
            #expect(store.announced == [true])
            store.setDue([id(1)])
            await work.poller.signalled(isListening: true)
            try await lanes[0][1].untilOver("the lane with something due")
            try await until("that it woke") { store.announced.contains(false) }
        }
    }

    /// The backend saw the worker awake, so nobody calls it: the look before the sleep has to find the lane.
    @Test func aDormantLaneIsLookedForBeforeTheWorkerSleeps() async throws {
        store.setDueOnceAnnounced([id(7)])
        try await atWork(hubs: 40) { work in
            await work.restAll()
            await work.poller.signalled(isListening: true)
            try await until("the lane with something due") { work.begun.all == [19] }
            #expect(store.announced.first == true)
            #expect(time.slept.allSatisfy { $0 < 0.15 }, "it slept: \(time.slept.max() ?? 0)")
        }
    }

    @Test func theEndWakesEveryLane() async throws {
        for hubs in [1, 40] as [Int32] {
            var lanes: [[Beside]] = []
            try await atWork(hubs: hubs) { work in
                lanes = work.waitAll()
                try await until("all lanes that wait") { await work.poller.idleLanes == Int(hubs) * 3 }
            }
            for lane in lanes.joined() { try await lane.untilOver("a lane") }
        }
    }
}
