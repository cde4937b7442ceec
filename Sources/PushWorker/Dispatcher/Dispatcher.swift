import HTTPTransport
import Logging
import Postgres
import PushModel
import Store
import Telemetry

/// One worker: its lanes, its poller, its recorder and its heartbeat, from registering to leaving.
public final class Dispatcher: Sendable {
    let database: Database
    let transport: HTTPClients
    let hubs: [HubContext]
    let settings: DispatchSettings
    let clock: Clock
    let metrics: MetricsRegistry
    let spans: SpanSink?
    let log: Logger

    /// - Parameters:
    ///   - hubs: the hubs this worker posts to; at least one.
    ///   - transport: shut down by `run` when it ends.
    ///   - metrics: where it counts; default: nobody reads it.
    ///   - spans: where it leaves a span of each step; default: no spans.
    public init(
        database: Database, transport: HTTPClients, hubs: [HubContext],
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

    /// When the client certificates of its hubs end, by name: seconds since 1970. Only hubs that have one.
    public var certificateEnds: [String: Int64] {
        Dictionary(
            uniqueKeysWithValues: hubs.compactMap { hub in hub.passes.certificateExpiry.map { (hub.settings.name, $0) }
            })
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
        let parts = Parts(of: self, workers, registration)
        log.notice(
            "working",
            metadata: [
                "worker": .stringConvertible(parts.me.number),
                "hubs": "\(hubs.map(\.settings.name).joined(separator: ", "))",
            ])
        let source = metrics.add { reading in parts.collect(into: &reading) }
        defer { metrics.remove(source) }
        if let beginAnew = await parts.run(until: stop) {
            if beginAnew != .declaredDead { _ = await parts.leave() }
            throw beginAnew
        }
        return await parts.summary(isClean: parts.leave())
    }
}
