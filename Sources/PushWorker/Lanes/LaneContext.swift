import Logging
import Postgres
import Store
import Synchronization

/// What all lanes of a worker share.
final class LaneContext: Sendable {
    let settings: DispatchSettings
    let clock: Clock
    let log: Logger
    let hubs: Hubs
    let intents: IntentWriter
    let recorder: Recorder
    let poller: DuePoller
    let heartbeat: Heartbeat
    let events: LaneEvents
    let effects: HubEffects
    let runContents = RunContents()
    private let running = Mutex(true)

    init(
        settings: DispatchSettings, clock: Clock, log: Logger, hubs: Hubs, intents: IntentWriter, recorder: Recorder,
        poller: DuePoller, heartbeat: Heartbeat, events: LaneEvents
    ) {
        self.settings = settings
        self.clock = clock
        self.log = log
        self.hubs = hubs
        self.intents = intents
        self.recorder = recorder
        self.poller = poller
        self.heartbeat = heartbeat
        self.events = events
        effects = HubEffects(settings: settings, clock: clock, log: log, hubs: hubs, events: events)
    }

    /// Whether new work may begin.
    var isRunning: Bool { running.withLock { $0 } }

    /// The worker stops: no new work begins.
    func stop() { running.withLock { $0 = false } }

    /// Waits a little longer after each fault in a row; cut short when the worker stops, or the database is back.
    func pause(after faults: Int) async {
        let pause = settings.backoff.delay(attempt: min(faults, 4), random: .random(in: 0.5...1))
        await hubs.waitUntilBack(atMost: pause, by: clock) { isRunning }
    }

    /// Repeats a statement that writes until it succeeds, as long as the worker runs and nobody gives it up.
    ///
    /// - Parameter givesUp: after which errors; default: those that are not transient.
    /// - Returns: nil when it did not succeed.
    func retrying<T: Sendable>(
        doing: String, by writer: DatabaseTrouble.Writer,
        givingUp givesUp: (DatabaseError) -> Bool = { !$0.isTransient },
        _ body: () async throws(DatabaseError) -> T
    ) async -> T? {
        var faults = 0
        while true {
            let began = clock.monotonic()
            do {
                let written = try await body()
                events.report(.wrote(by: writer, began: began))
                return written
            } catch {
                faults += 1
                events.report(.failed(error, by: writer))
                log.error("cannot \(doing)", metadata: ["error": "\(error.why)", "tries": .stringConvertible(faults)])
                guard !givesUp(error), isRunning else { return nil }
                await pause(after: faults)
            }
        }
    }
}
