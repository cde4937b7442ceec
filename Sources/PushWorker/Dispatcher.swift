import HTTPTransport
import Logging
import Postgres
import PushModel
import Store

/// One worker: its lanes, its scout, its recorder and its heartbeat, from registering to leaving.
public final class Dispatcher: Sendable {
    private let database: Database
    private let transport: HTTPClient
    private let served: [HubContext]
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger

    /// - Parameters:
    ///   - served: the hubs this worker posts to; at least one.
    ///   - transport: shut down by `run` when it ends.
    public init(
        database: Database, transport: HTTPClient, served: [HubContext],
        settings: DispatchSettings = DispatchSettings(),
        clock: Clock = .system, log: Logger
    ) {
        self.database = database
        self.transport = transport
        self.served = served
        self.settings = settings
        self.clock = clock
        self.log = log
    }

    /// What a worker did while it ran.
    public struct Summary: Sendable, Codable, Equatable {
        public var posts = 0
        public var accepted = 0
        public var rejected = 0
        public var expired = 0
        public var inDoubt = 0
        /// Times a message was put back for another attempt.
        public var retrying = 0
        /// Whether everything it had claimed was recorded or given back.
        public var clean = true

        public init() {}

        public static func += (sum: inout Summary, more: Summary) {
            sum.posts += more.posts
            sum.accepted += more.accepted
            sum.rejected += more.rejected
            sum.expired += more.expired
            sum.inDoubt += more.inDoubt
            sum.retrying += more.retrying
            sum.clean = sum.clean && more.clean
        }
    }

    /// Works until `stop` ends: then claims nothing more, gives back what has not left, waits for what has, at most
    /// `drainSeconds`, records everything and leaves.
    ///
    /// - Parameters:
    ///   - name: `host/pid`, for people.
    ///   - stop: returns when the worker shall stop; gets a view of its own progress. Cancelled when `run` ends for
    ///     another reason.
    /// - Throws: `DatabaseError` when it could not register; `DeclaredDead` when others rescued it: begin anew.
    public func run(
        name: String, version: String, until stop: @escaping @Sendable (Progress) async -> Void
    ) async throws -> Summary {
        // The heartbeat waits for nobody: with all connections busy, a living worker would be taken for dead.
        let heart = database.another(maximumConnections: 1)
        do {
            let summary = try await work(Workers(database: heart), name: name, version: version, until: stop)
            await heart.close()
            return summary
        } catch {
            await heart.close()
            throw error
        }
    }

    private func work(
        _ workers: Workers, name: String, version: String, until stop: @escaping @Sendable (Progress) async -> Void
    ) async throws -> Summary {
        let me = try await workers.register(name: name, version: version)
        let queue = Queue(database: database, worker: me)
        let ownClaims = OwnClaims()
        let recorder = Recorder(queue: queue, ownClaims: ownClaims, settings: settings, clock: clock, log: log)
        let poller = DuePoller(
            queue: queue, hubs: Hubs(database: database), served: served, settings: settings, clock: clock, log: log)
        let heartbeat = Heartbeat(
            workers: workers, me: me, ownClaims: ownClaims, settings: settings, clock: clock, log: log,
            serving: { [served, clock] in served.map { $0.serving(now: clock.monotonic()) } },
            rescued: { await poller.startOver() })
        let context = LaneContext(
            settings: settings, clock: clock, log: log, hubs: Hubs(database: database), recorder: recorder,
            poller: poller, heartbeat: heartbeat, ownClaims: ownClaims)
        let lanes = makeLanes(queue: queue, context: context)
        let progress = Progress(
            worker: me, recorder: recorder, poller: poller, lanes: lanes, served: served, transport: transport,
            database: database, heartbeat: heartbeat, clock: clock)
        log.notice(
            "working", metadata: ["worker": "\(me)", "hubs": "\(served.map(\.settings.name).joined(separator: ", "))"])

        await poller.begin()
        let recording = Task { await recorder.run() }
        let scouting = Task { await poller.run() }
        let ear = openEar(poller)
        let hearing = Task { await ear?.run() }
        let meters = served.map { RateLimiter(hub: $0, hubs: Hubs(database: database), log: log) }
        let metering = Task {
            await withDiscardingTaskGroup { group in
                for meter in meters { group.addTask { await meter.run() } }
            }
        }
        let landing = Task {
            await withDiscardingTaskGroup { group in
                for lane in lanes { group.addTask { await lane.run() } }
            }
        }
        let (endings, ending) = AsyncStream<DeclaredDead?>.makeStream()
        let waiting = Task {
            await stop(progress)
            ending.yield(nil)
        }
        let beating = Task {  // goes on while we drain: that may last longer than a lease
            do throws(DeclaredDead) {
                try await heartbeat.run(doing: { await progress.line() })
            } catch { ending.yield(error) }
        }
        var ends = endings.makeAsyncIterator()
        let died = await ends.next() ?? nil
        log.notice("stopping", metadata: ["in_flight": "\(lanes.reduce(0) { $0 + $1.inFlight.flying })"])
        context.close()
        await poller.end()
        await settle(lanes)
        await recorder.stopWaiting()
        await transport.shutdown()
        await landing.value
        for hub in served { hub.window.endOfRate() }
        await metering.value
        await recorder.end()
        await recording.value
        await scouting.value
        await ear?.close()
        await hearing.value
        beating.cancel()
        waiting.cancel()
        await beating.value
        let left = await leave(workers, me, wasDeclaredDead: died != nil)
        if let died { throw died }
        return summary(await recorder.counts, clean: left)
    }

    /// Nothing rests on it: without, the scout looks all the time.
    private func openEar(_ poller: DuePoller) -> WakeUpListener? {
        guard settings.listen else { return nil }
        do throws(DatabaseError) {
            return try WakeUpListener(database: database, poller: poller, log: log)
        } catch {
            log.warning("cannot listen for push.wake_up()", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Waits until everything in flight has come back and is recorded, at most `drainSeconds`.
    private func settle(_ lanes: [Lane]) async {
        let until = clock.monotonic() + settings.drainSeconds
        while clock.monotonic() < until, !lanes.allSatisfy(\.inFlight.isEmpty) {
            for hub in served { hub.window.turnAway() }  // nothing new leaves: nobody needs to wait for a place
            // Ends early only by cancellation, and then everything in flight is answered by the transport's shutdown.
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func makeLanes(queue: Queue, context: LaneContext) -> [Lane] {
        var lanes: [Lane] = []
        for hub in served {
            for priority in Priority.allCases where lanes.count < settings.lanes {
                lanes.append(
                    Lane(
                        number: lanes.count, hub: hub, priority: priority, queue: queue, channel: transport.channel(),
                        context: context))
            }
        }
        return lanes
    }

    /// - Returns: whether nothing of ours was left behind.
    private func leave(_ workers: Workers, _ me: Int32, wasDeclaredDead: Bool) async -> Bool {
        guard !wasDeclaredDead else { return false }
        do {
            let found = try await workers.rescue(me)
            return found.claims == 0
        } catch {
            log.error("could not sign off; another worker will rescue what is left", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func summary(_ counts: Recorder.Counts, clean: Bool) -> Summary {
        var summary = Summary()
        summary.posts = counts.posts
        summary.accepted = counts.accepted
        summary.rejected = counts.rejected
        summary.expired = counts.expired
        summary.inDoubt = counts.inDoubt
        summary.retrying = counts.retrying
        summary.clean = clean
        return summary
    }
}
