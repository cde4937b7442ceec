import HTTPTransport
import Postgres

extension Dispatcher {
    /// A view of a running worker.
    public struct Progress: Sendable {
        let worker: Int32
        let recorder: Recorder
        let poller: DuePoller
        let lanes: [Lane]
        let devicePoller: DevicePoller
        let deviceLanes: [DeviceLane]
        let hubs: [HubContext]
        let transport: HTTPClients
        let database: Database
        let heartbeat: Heartbeat
        let watch: DatabaseWatch
        let clock: Clock

        /// Whether all lanes wait for work, nothing is in flight and everything is recorded.
        public var isIdle: Bool {
            get async {
                // Cheap, and mostly the answer: a drain asks often, and there may be thousands of lanes.
                guard await poller.idleLanes == lanes.count else { return false }
                guard lanes.allSatisfy({ $0.inFlight.isEmpty }), await poller.idleLanes == lanes.count,
                    await devicePoller.idleLanes == deviceLanes.count
                else { return false }
                return await recorder.isIdle
            }
        }

        /// Posts in flight.
        public var inFlight: Int { lanes.reduce(0) { $0 + $1.inFlight.count } }

        /// Messages that reached a final status, and posts recorded, since the start.
        public var done: (messages: Int, posts: Int) {
            get async {
                let counts = await recorder.counts
                return (counts.accepted + counts.rejected + counts.expired + counts.inDoubt, counts.posts)
            }
        }

        /// Changes of devices since the start.
        public var devices: DeviceCounts { deviceLanes.reduce(into: DeviceCounts()) { $0 += $1.health.counts } }

        /// Returns when the transport's thread has begun another turn, or the task is cancelled; while it is stuck, it does
        /// not return.
        public func turn() async { await transport.turn() }

        /// How long the statement that records results has run, in seconds; nil: none runs.
        public var recording: Double? {
            get async { await recorder.backlog.writing }
        }

        /// Whether there are results that only this process knows.
        public var hasUnwritten: Bool {
            get async { await !recorder.isIdle }
        }

        /// What keeps the worker from its work, in words and for how many seconds it has: the database does not answer, or
        /// takes no changes. nil: nothing.
        public var trouble: (words: String, seconds: Double)? { watch.trouble }

        /// One line for people: `push.worker.doing`.
        func line() async -> String {
            let done = await done
            let sleep = await poller.isAsleep ? ", asleep until push.wake_up()" : ""
            let trouble = trouble.map { $0.words + "; " } ?? ""
            return "\(trouble)\(done.posts) posts recorded\(sleep)"
        }
    }
}
