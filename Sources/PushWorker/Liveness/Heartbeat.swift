import Concurrency
import Logging
import Postgres
import Store
import Synchronization
import Telemetry

/// This worker's heartbeat, and the rescue of workers whose heartbeat stopped.
///
/// Each rescue fails alone: what cannot be rescued is logged once and tried again, and keeps neither the others from
/// being rescued nor this worker from beating.
final class Heartbeat: Sendable {
    private let workers: any WorkerRegistry
    private let me: WorkerID
    private let ownClaims: OwnClaims
    private let pulse: PulseReader
    private let lockWatch: LockWatch
    private let watch: DatabaseWatch
    private let rescues: Counter
    private let settings: DispatchSettings
    private let clock: Clock
    private let sleep: Sleep
    private let log: Logger
    private let reports: @Sendable () -> [HubReport]
    private let onRescue: @Sendable () async -> Void
    private let beatAt: Mutex<Double>
    private let pause = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - workers: over a connection that nothing else uses.
    ///   - pulse: is read between two heartbeats, over the same connection.
    ///   - lockWatch: looks then, too.
    ///   - reports: what each heartbeat says about the hubs.
    ///   - onRescue: called when messages went back to due with old due times.
    init(
        workers: any WorkerRegistry, me: WorkerID, ownClaims: OwnClaims, pulse: PulseReader, lockWatch: LockWatch,
        watch: DatabaseWatch, metrics: WorkerMetrics, settings: DispatchSettings, clock: Clock, sleep: Sleep = .system,
        log: Logger,
        reports: @escaping @Sendable () -> [HubReport],
        onRescue: @escaping @Sendable () async -> Void
    ) {
        self.workers = workers
        self.me = me
        self.ownClaims = ownClaims
        self.pulse = pulse
        self.lockWatch = lockWatch
        self.watch = watch
        self.rescues = metrics.rescues
        self.settings = settings
        self.clock = clock
        self.sleep = sleep
        self.log = log
        self.reports = reports
        self.onRescue = onRescue
        self.beatAt = Mutex(clock.monotonic())
    }

    /// Whether no other worker can have declared us dead yet, with 5 s to spare. Only saves work: the fence is the claim
    /// in the database.
    var isFresh: Bool {
        clock.monotonic() - beatAt.withLock { $0 } < max(settings.leaseSeconds - 5, settings.leaseSeconds / 2)
    }

    /// Seconds since the last heartbeat that reached the database.
    var age: Double { clock.monotonic() - beatAt.withLock { $0 } }

    /// Beats now instead of later: another statement found that the server was replaced.
    func hurry() { pause.withLock { $0?.cancel() } }

    /// What this worker remembers from one heartbeat to the next.
    private struct Memory {
        var monitor: LeaseMonitor
        var floor: ClaimFloor
        var beats: Int64 = 0
        /// Why a worker could not be rescued, and claims that could not, as far as they were logged.
        var troubles: [WorkerID: String] = [:]
        var failed: Set<Int64> = []
    }

    /// Beats until cancelled.
    ///
    /// - Parameters:
    ///   - lowestClaim: from registering.
    ///   - doing: for people.
    ///   - trouble: what keeps the worker from its work; nil: nothing.
    /// - Throws: `BeginAnew` when this worker has to register again.
    func run(
        lowestClaim: Int64, doing: @Sendable () async -> String, trouble: @Sendable () -> String?
    ) async throws(BeginAnew) {
        var memory = Memory(
            monitor: LeaseMonitor(lease: settings.leaseSeconds),
            floor: ClaimFloor(lowest: lowestClaim, lease: settings.leaseSeconds, now: clock.monotonic()))
        while !Task.isCancelled {
            let began = clock.monotonic()
            let beat: Workers.Beat?
            do throws(DatabaseError) {
                beat = try await self.beat(&memory, doing: doing(), trouble: trouble())
            } catch {
                if error.is(.serverReplaced) { throw .serverReplaced }
                memory.monitor.interrupted()
                log.warning("cannot send a heartbeat; trying again", metadata: ["error": "\(error.why)"])
                beat = nil
            }
            if let beat {
                guard let mine = beat.mine else { throw .declaredDead }
                if mine.beats > memory.beats { beatAt.withLock { $0 = began } }  // else another session holds our row
                memory.beats = mine.beats
                await rescueDead(among: beat.others, since: began, &memory)
                await takeBack(ownClaims.strays(in: mine.claims), &memory)
            }
            let pause = settings.beatSeconds * Double.random(in: 0.8...1)
            guard beat != nil else {
                await workers.waitUntilBack(atMost: pause)
                continue
            }
            let over = clock.monotonic() + pause
            await lockWatch.look()
            await pulse.read()
            await rest(max(0, over - clock.monotonic()))
        }
    }

    private func beat(
        _ memory: inout Memory, doing: String, trouble: String?
    ) async throws(DatabaseError) -> Workers.Beat {
        let from = memory.floor.next(held: ownClaims.lowest, now: clock.monotonic())
        let beat = try await workers.beat(
            me, lowestClaim: from, doing: doing, trouble: trouble, reports: reports())
        memory.floor.saw(
            from: from, newest: beat.newestClaim, orphans: beat.others.flatMap(\.claims), now: clock.monotonic())
        return beat
    }

    /// Rescues for as long as the pause between two heartbeats: our own must not be late. The next one goes on. Last come
    /// those that could not be rescued: one of them may take all the time there is.
    private func rescueDead(among others: [Workers.Seen], since began: Double, _ memory: inout Memory) async {
        let all = memory.monitor.dead(in: others, now: clock.monotonic())
        if all.isEmpty { watch.hasNothing(.rescue) } else { memory.floor.sawDead(now: clock.monotonic()) }
        for dead in all.filter({ memory.troubles[$0] == nil }) + all.filter({ memory.troubles[$0] != nil }) {
            let left = settings.beatSeconds - (clock.monotonic() - began)
            guard left > 0 else { return }
            let statement = clock.monotonic()
            do throws(DatabaseError) {
                let found = try await workers.rescue(dead, within: left)
                memory.troubles[dead] = nil
                note(found, began: statement)
                if found.claims > 0 { rescues.add() }
                await logRescue(found, "rescued a dead worker", ["worker": .stringConvertible(dead.number)], &memory)
            } catch {
                watch.failed(error, by: .rescue)
                // Logged once, not with every heartbeat.
                guard memory.troubles.updateValue(error.description, forKey: dead) != error.description else {
                    continue
                }
                log.error(
                    "cannot rescue a dead worker",
                    metadata: ["worker": .stringConvertible(dead.number), "error": "\(error.why)"])
            }
        }
    }

    private func takeBack(_ strays: [Int64], _ memory: inout Memory) async {
        guard !strays.isEmpty else { return }
        do throws(DatabaseError) {
            let found = try await workers.rescue(claims: strays)
            await logRescue(found, "took back claims whose answer was lost", [:], &memory)
        } catch {
            log.error("cannot take back claims whose answer was lost", metadata: ["error": "\(error.why)"])
        }
    }

    /// A claim that cannot be taken for lack of room keeps its messages for as long as that lasts. One that a person's transaction
    /// holds is LockWatch's; one that is broken in itself has its own line in push.claim.
    private func note(_ found: Workers.Rescued, began: Double) {
        if let error = found.error, error.isAboutRoom {
            watch.failed(error, by: .rescue)
        } else if found.claims > 0 {
            watch.wrote(by: .rescue, began: began)
        }
    }

    private func logRescue(
        _ found: Workers.Rescued, _ what: Logger.Message, _ metadata: Logger.Metadata, _ memory: inout Memory
    ) async {
        if found.claims > 0 {
            log.warning(
                what,
                metadata: metadata.merging([
                    "claims": .stringConvertible(found.claims), "returned": .stringConvertible(found.returned),
                    "in_doubt": .stringConvertible(found.doubted),
                ]) { $1 })
        }
        if !found.missing.isEmpty {
            log.error(
                "messages of a claim were deleted from push.message; they are dropped",
                metadata: metadata.merging(["messages": .array(found.missing.map { .stringConvertible($0) })]) { $1 })
        }
        let failed = found.failed.filter { memory.failed.insert($0).inserted }
        if !failed.isEmpty {
            let passes = found.error.map { $0.isTransient || $0.isAboutRoom } ?? false
            log.error(
                passes
                    ? "claims cannot be rescued now; trying again"
                    : "claims cannot be rescued; push.claim.trouble says why",
                metadata: metadata.merging([
                    "claims": .array(failed.map { .stringConvertible($0) }), "error": "\(found.failure ?? "")",
                ]) { $1 })
        }
        if found.returned > 0 { await onRescue() }
    }

    /// Sleeps in a task of its own, so that `hurry` can end it.
    private func rest(_ seconds: Double) async {
        let resting = Task { [sleep] in await sleep(seconds) }
        pause.withLock { $0 = resting }
        await withTaskCancellationHandler {
            await resting.value
        } onCancel: {
            resting.cancel()
        }
    }
}

/// Why a worker has to register again, under a new number. It ends what it does as if it were stopped.
public enum BeginAnew: Error, Equatable, CustomStringConvertible {
    /// Other workers declared this worker dead and rescued what it held. It posts nothing more of that.
    case declaredDead
    /// A fail-over: another server answers now, and what it did not receive is gone. The numbers in use are moved on.
    case serverReplaced

    public var description: String {
        switch self {
        case .declaredDead: "other workers declared this one dead: its heartbeat stood still for a whole lease"
        case .serverReplaced: "the database server was replaced (a fail-over)"
        }
    }
}

extension DatabaseError {
    /// Whether the server has no room for what was written: memory, disk, locks (class 53), or its files failed (58030).
    fileprivate var isAboutRoom: Bool { sqlState.map { $0.hasPrefix("53") || $0 == "58030" } ?? false }
}
