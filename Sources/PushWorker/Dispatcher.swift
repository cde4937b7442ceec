import HTTPTransport
import Logging
import Postgres
import PushModel
import Store
import Telemetry

/// One worker: its lanes, its poller, its recorder and its heartbeat, from registering to leaving.
public final class Dispatcher: Sendable {
    private let database: Database
    private let transport: HTTPClient
    private let hubs: [HubContext]
    private let settings: DispatchSettings
    private let clock: Clock
    private let metrics: MetricsRegistry
    private let spans: SpanSink?
    private let log: Logger

    /// - Parameters:
    ///   - hubs: the hubs this worker posts to; at least one.
    ///   - transport: shut down by `run` when it ends.
    ///   - metrics: where it counts; default: nobody reads it.
    ///   - spans: where it leaves a span of each step; default: there are none.
    public init(
        database: Database, transport: HTTPClient, hubs: [HubContext],
        settings: DispatchSettings = DispatchSettings(),
        clock: Clock = .system, metrics: MetricsRegistry = MetricsRegistry(), spans: SpanSink? = nil,
        log: Logger
    ) {
        self.database = database
        self.transport = transport
        self.hubs = hubs
        self.settings = settings
        self.clock = clock
        self.metrics = metrics
        self.spans = spans
        self.log = log
    }

    /// The hubs it posts to: `push.hub.id`.
    public var hubNumbers: [Int32] { hubs.map(\.id) }

    /// What a worker did while it ran.
    public struct Summary: Sendable, Codable, Equatable {
        public var posts = 0
        public var accepted = 0
        public var rejected = 0
        public var expired = 0
        public var inDoubt = 0
        /// Times a message was put back for another attempt.
        public var retrying = 0
        /// Changes of devices.
        public var devices = DeviceCounts()
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
            sum.devices += more.devices
            sum.clean = sum.clean && more.clean
        }
    }

    /// Works until `stop` returns. Then it claims nothing more, gives back what has not left, waits for the answers to what
    /// has, at most `drainSeconds`, records everything and leaves.
    ///
    /// - Parameters:
    ///   - name: `host/pid`, for people.
    ///   - stop: returns when the worker should stop; gets a view of its own progress. Cancelled when `run` ends for
    ///     another reason.
    /// - Throws: `DatabaseError` when it could not register; `BeginAnew` when it has to register again.
    public func run(
        name: String, version: String, until stop: @escaping @Sendable (Progress) async -> Void
    ) async throws -> Summary {
        // The heartbeat has a connection of its own: with all others busy, a living worker would be declared dead.
        let heartbeats = database.another(maximumConnections: 1)
        do {
            let summary = try await work(Workers(database: heartbeats), name: name, version: version, until: stop)
            await heartbeats.close()
            return summary
        } catch {
            await heartbeats.close()
            throw error
        }
    }

    private func work(
        _ workers: Workers, name: String, version: String, until stop: @escaping @Sendable (Progress) async -> Void
    ) async throws -> Summary {
        let registration = try await workers.register(
            name: name, version: version, leaseSeconds: settings.leaseSeconds)
        let me = registration.id
        let queue = Queue(database: database, worker: me, clock: clock.monotonic)
        let store = Hubs(database: database)
        let ownClaims = OwnClaims()
        let watch = DatabaseWatch(clock: clock, log: log)
        let endingLog = EndingLog(clock: clock, log: log)
        let metrics = WorkerMetrics(self.metrics)
        let spans = self.spans.map { WorkerSpans($0, clock: clock) }
        let recorder = Recorder(
            queue: queue, ownClaims: ownClaims, endings: endingLog, watch: watch, metrics: metrics, spans: spans,
            settings: settings, clock: clock, log: log)
        let poller = DuePoller(
            queue: queue, store: store, hubs: hubs, watch: watch, settings: settings, clock: clock, log: log)
        let pulse = PulseReader(
            workers: workers, me: me, settings: settings, metrics: metrics, clock: clock, log: log)
        let lockWatch = LockWatch(
            workers: workers, watch: watch, longestUse: { [database] in database.longestUse }, clock: clock, log: log)
        let heartbeat = Heartbeat(
            workers: workers, me: me, ownClaims: ownClaims, pulse: pulse, lockWatch: lockWatch, watch: watch,
            metrics: metrics, settings: settings, clock: clock, log: log,
            reports: { [hubs, clock] in hubs.map { $0.report(now: clock.monotonic()) } },
            onRescue: { await poller.startOver() })
        let context = LaneContext(
            settings: settings, clock: clock, log: log, hubs: store, intents: IntentWriter(store: queue),
            recorder: recorder, poller: poller, heartbeat: heartbeat, ownClaims: ownClaims, watch: watch,
            metrics: metrics, spans: spans)
        let lanes = makeLanes(queue: queue, context: context)
        let devicePoller = DevicePoller(
            queue: DeviceQueue(database: database, worker: me), hubs: hubs.count, watch: watch, clock: clock, log: log)
        let deviceLanes = makeDeviceLanes(poller: devicePoller, context: context)
        let deviceLaneOfHub = Dictionary(uniqueKeysWithValues: deviceLanes.map { ($0.hub.id, $0) })
        let progress = Progress(
            worker: me.number, recorder: recorder, poller: poller, lanes: lanes, devicePoller: devicePoller,
            deviceLanes: deviceLanes, hubs: hubs, transport: transport, database: database, heartbeat: heartbeat,
            watch: watch, clock: clock)
        log.notice(
            "working",
            metadata: [
                "worker": .stringConvertible(me.number), "hubs": "\(hubs.map(\.settings.name).joined(separator: ", "))",
            ])

        let source = self.metrics.add { [hubs, transport, database, pulse, clock] reading in
            let now = clock.monotonic()
            for hub in hubs { hub.tell(&reading, now: now) }
            for lane in deviceLanes { lane.tell(&reading) }
            transport.counters.tell(&reading)
            recorder.state.tell(&reading, now: now)
            database.tell(&reading, with: workers.database)
            pulse.tell(&reading, now: now)
        }
        defer { self.metrics.remove(source) }
        await poller.begin()
        let listener = openListener(poller)
        for lane in lanes { await lane.rest() }
        for lane in deviceLanes { await lane.rest() }
        let (limitedHubs, limited) = AsyncStream.makeStream(of: HubContext.self)
        for hub in hubs { hub.whenLimited { _ = limited.yield($0) } }
        let shutdown = [
            ShutdownStep {
                context.stop()
                await poller.end()
                await devicePoller.end()
                await self.drain(lanes, deviceLanes)
            },
            ShutdownStep(ends: [.lanes, .deviceLanes]) { [transport] in
                await recorder.stopWaiting()
                await transport.shutdown()
            },
            ShutdownStep(ends: [.limiters]) { [hubs] in
                limited.finish()
                for hub in hubs { hub.window.endOfRate() }
            },
            ShutdownStep(ends: [.recorder]) { await recorder.end() },
            ShutdownStep(ends: [.poller, .devicePoller, .listener]) { await listener?.close() },
        ]
        let beginAnew = await withTaskGroup(of: PartEnd.self) { group in
            var parts = RunningParts()
            parts.begin(.recorder, in: &group) { await recorder.run() }
            parts.begin(.endingLog, in: &group) { await endingLog.run() }
            parts.begin(.poller, in: &group) { await poller.run() }
            parts.begin(.devicePoller, in: &group) { await devicePoller.run() }
            parts.begin(.listener, in: &group) { await listener?.run() }
            parts.begin(.limiters, in: &group) { [log] in
                await limitedHubs.sideBySide { await RateLimiter(hub: $0, hubs: store, log: log).run() }
            }
            parts.begin(.lanes, in: &group) {
                await poller.dueLanes.sideBySide { await lanes[$0.lane].run(from: $0.cursor) }
            }
            parts.begin(.deviceLanes, in: &group) {
                await devicePoller.dueLanes.sideBySide { await deviceLaneOfHub[$0.hub]?.run(from: $0.cursor) }
            }
            parts.begin(.stop, in: &group) { await stop(progress) }
            parts.beginHeartbeat(in: &group) { () async throws(BeginAnew) in
                try await heartbeat.run(
                    lowestClaim: registration.lowestClaim, doing: { await progress.line() },
                    trouble: { progress.trouble?.words })
            }
            let beginAnew = await parts.untilStop(of: &group)
            log.notice("stopping", metadata: ["in_flight": .stringConvertible(progress.inFlight)])
            for step in shutdown {
                await step.begin()
                await parts.until(step.ends, of: &group)
            }
            // The others end by that: the heartbeat, which goes on while we drain, because that may last longer than a
            // lease; the log of endings; and `stop`.
            group.cancelAll()
            return beginAnew
        }
        let isClean = await leave(workers, me, wasDeclaredDead: beginAnew == .declaredDead)
        if let beginAnew { throw beginAnew }
        return summary(await recorder.counts, deviceLanes, clean: isClean)
    }

    /// - Returns: nil when listening is off or cannot begin: then the poller stays awake.
    private func openListener(_ poller: DuePoller) -> WakeUpListener? {
        guard settings.listen else { return nil }
        do throws(DatabaseError) {
            return try WakeUpListener(database: database, poller: poller, log: log)
        } catch {
            log.warning("cannot listen for push.wake_up()", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Waits until every post has its answer and everything is recorded, at most `drainSeconds`.
    private func drain(_ lanes: [Lane], _ deviceLanes: [DeviceLane]) async {
        let until = clock.monotonic() + settings.drainSeconds
        while clock.monotonic() < until,
            !lanes.allSatisfy(\.inFlight.isEmpty) || !deviceLanes.allSatisfy(\.isIdle)
        {
            for hub in hubs { hub.window.turnAway() }  // nothing more leaves, so no lane has to wait for places
            // Cancellation may cut it short: the transport's shutdown answers everything in flight.
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func makeLanes(queue: Queue, context: LaneContext) -> [Lane] {
        var lanes: [Lane] = []
        for hub in hubs {
            for priority in Priority.allCases {
                lanes.append(
                    Lane(
                        number: lanes.count, hub: hub, priority: priority, queue: queue, channel: transport.channel(),
                        context: context))
            }
        }
        return lanes
    }

    private func makeDeviceLanes(poller: DevicePoller, context: LaneContext) -> [DeviceLane] {
        hubs.compactMap { hub in
            hub.installations.map {
                DeviceLane(hub: hub, installations: $0, poller: poller, transport: transport, context: context)
            }
        }
    }

    /// - Returns: whether nothing of ours was left behind.
    private func leave(_ workers: Workers, _ me: WorkerID, wasDeclaredDead: Bool) async -> Bool {
        guard !wasDeclaredDead else { return false }
        do {
            let found = try await workers.rescue(me)
            if !found.failed.isEmpty {
                log.error(
                    "claims of ours cannot be given back; push.claim.trouble says why",
                    metadata: [
                        "claims": .array(found.failed.map { .stringConvertible($0) }),
                        "error": "\(found.failure ?? "")",
                    ])
            }
            return found.claims == 0 && found.failed.isEmpty
        } catch {
            log.error("could not sign off; another worker will rescue what is left", metadata: ["error": "\(error)"])
            return false
        }
    }

    private func summary(_ counts: Recorder.Counts, _ deviceLanes: [DeviceLane], clean: Bool) -> Summary {
        var summary = Summary()
        summary.posts = counts.posts
        summary.accepted = counts.accepted
        summary.rejected = counts.rejected
        summary.expired = counts.expired
        summary.inDoubt = counts.inDoubt
        summary.retrying = counts.retrying
        for lane in deviceLanes { summary.devices += lane.health.counts }
        summary.clean = clean
        return summary
    }
}
