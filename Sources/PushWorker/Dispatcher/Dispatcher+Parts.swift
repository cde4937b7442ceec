import HTTPTransport
import Logging
import Postgres
import PushModel
import Store
import Telemetry

extension Dispatcher {
    /// The parts of one worker, from registering to leaving. Made once; `run(until:)` is what they do.
    struct Parts: Sendable {
        let me: WorkerID
        /// Claims below it were made by an earlier worker.
        let lowestClaim: Int64
        let workers: Workers
        let database: Database
        let transport: HTTPClients
        let hubs: [HubContext]
        let context: LaneContext
        let pulse: PulseReader
        let lanes: [Lane]
        let devicePoller: DevicePoller
        let deviceLanes: [DeviceLane]
        let listener: WakeUpListener?

        /// - Parameter workers: over a connection that nothing else uses.
        init(of worker: Dispatcher, _ workers: Workers, _ registration: Workers.Registration) {
            let (database, settings, clock, log) = (worker.database, worker.settings, worker.clock, worker.log)
            let hubs = worker.hubs
            let me = registration.id
            let queue = Queue(database: database, worker: me, clock: clock.monotonic)
            let store = Hubs(database: database)
            let metrics = WorkerMetrics(worker.metrics)
            let watch = DatabaseWatch(clock: clock, log: log)
            let events = LaneEvents(
                ownClaims: OwnClaims(), watch: watch, metrics: metrics,
                spans: worker.spans.map { WorkerSpans($0, clock: clock) }, clock: clock, log: log)
            let recorder = Recorder(queue: queue, events: events, settings: settings, clock: clock, log: log)
            let poller = DuePoller(
                queue: queue, store: store, hubs: hubs, watch: watch, settings: settings, clock: clock, log: log)
            pulse = PulseReader(
                workers: workers, me: me, settings: settings, metrics: metrics, clock: clock, log: log)
            let lockWatch = LockWatch(
                workers: workers, watch: watch, longestUse: { database.longestUse }, clock: clock, log: log)
            let heartbeat = Heartbeat(
                workers: workers, me: me, ownClaims: events.ownClaims, pulse: pulse, lockWatch: lockWatch,
                watch: watch, metrics: metrics, settings: settings, clock: clock, log: log,
                reports: { hubs.map { $0.report(now: clock.monotonic()) } },
                onRescue: { await poller.startOver() })
            let context = LaneContext(
                settings: settings, clock: clock, log: log, hubs: store, intents: IntentWriter(store: queue),
                recorder: recorder, poller: poller, heartbeat: heartbeat, events: events)
            let devicePoller = DevicePoller(
                queue: DeviceQueue(database: database, worker: me), hubs: hubs.count, watch: watch, clock: clock,
                log: log)
            let transport = worker.transport
            lanes = hubs.flatMap { hub in Priority.allCases.map { (hub, $0) } }.enumerated().map { number, lane in
                Lane(
                    number: number, hub: lane.0, priority: lane.1, queue: queue,
                    channel: transport.client(lane.0.provider.http2).channel(), context: context)
            }
            deviceLanes = hubs.compactMap { hub in
                hub.installations.map {
                    DeviceLane(
                        hub: hub, installations: $0, poller: devicePoller, transport: transport.http1, context: context)
                }
            }
            listener = Self.listener(to: poller, database, settings, log)
            (self.me, lowestClaim, self.workers) = (me, registration.lowestClaim, workers)
            (self.database, self.transport, self.hubs) = (database, transport, hubs)
            (self.context, self.devicePoller) = (context, devicePoller)
        }

        /// - Returns: nil when listening is off or cannot begin: then the poller stays awake.
        private static func listener(
            to poller: DuePoller, _ database: Database, _ settings: DispatchSettings, _ log: Logger
        ) -> WakeUpListener? {
            guard settings.listen else { return nil }
            do throws(DatabaseError) {
                return try WakeUpListener(database: database, poller: poller, log: log)
            } catch {
                log.warning("cannot listen for push.wake_up()", metadata: ["error": "\(error)"])
                return nil
            }
        }

        var progress: Progress {
            Progress(
                worker: me.number, recorder: context.recorder, poller: context.poller, lanes: lanes,
                devicePoller: devicePoller, deviceLanes: deviceLanes, hubs: hubs, transport: transport,
                database: database, heartbeat: context.heartbeat, watch: context.events.watch, clock: context.clock)
        }

        /// What has a value already when metrics are asked for.
        func collect(into reading: inout MetricsReading) {
            let now = context.clock.monotonic()
            for hub in hubs { hub.collect(into: &reading, now: now) }
            for lane in deviceLanes { lane.collect(into: &reading) }
            transport.counters.collect(into: &reading)
            context.recorder.state.collect(into: &reading, now: now)
            database.collect(into: &reading, with: workers.database)
            pulse.collect(into: &reading, now: now)
        }
    }
}
