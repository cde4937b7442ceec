import Logging
import Postgres
import Store
import Synchronization

/// This worker's heartbeat, and the rescue of workers whose heartbeat stopped.
final class Heartbeat: Sendable {
    private let workers: Workers
    private let me: Int32
    private let ownClaims: OwnClaims
    private let settings: DispatchSettings
    private let clock: Clock
    private let log: Logger
    private let reports: @Sendable () -> [HubReport]
    private let onRescue: @Sendable () async -> Void
    private let beatAt: Mutex<Double>

    /// - Parameters:
    ///   - workers: over a connection that nothing else uses.
    ///   - reports: what each heartbeat says about the hubs.
    ///   - onRescue: called when messages went back to due with old due times.
    init(
        workers: Workers, me: Int32, ownClaims: OwnClaims, settings: DispatchSettings, clock: Clock, log: Logger,
        reports: @escaping @Sendable () -> [HubReport], onRescue: @escaping @Sendable () async -> Void
    ) {
        self.workers = workers
        self.me = me
        self.ownClaims = ownClaims
        self.settings = settings
        self.clock = clock
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

    /// Beats until cancelled.
    ///
    /// - Throws: `DeclaredDead` when others rescued this worker: it holds nothing any more and has to start again.
    func run(doing: @Sendable () async -> String) async throws(DeclaredDead) {
        var monitor = LeaseMonitor(lease: settings.leaseSeconds)
        while !Task.isCancelled {
            do {
                try await beat(&monitor, doing: doing())
            } catch let error as DatabaseError {
                monitor.interrupted()
                log.warning("no heartbeat", metadata: ["error": "\(error)"])
            } catch {
                throw DeclaredDead()
            }
            // Cancellation may cut it short; the loop checks.
            try? await Task.sleep(for: .seconds(settings.beatSeconds * Double.random(in: 0.8...1)))
        }
    }

    private func beat(_ monitor: inout LeaseMonitor, doing: String) async throws {
        let began = clock.monotonic()
        let seen = try await workers.beat(me, doing: doing, reports: reports())
        guard let mine = seen.first(where: { $0.id == me }) else { throw DeclaredDead() }
        beatAt.withLock { $0 = began }
        for dead in monitor.dead(in: seen, me: me, now: clock.monotonic()) {
            let found = try await workers.rescue(dead)
            log.warning(
                "rescued a dead worker",
                metadata: [
                    "worker": "\(dead)", "claims": "\(found.claims)", "returned": "\(found.returned)",
                    "in_doubt": "\(found.doubted)",
                ])
            if found.returned > 0 { await onRescue() }
        }
        let strays = ownClaims.strays(in: mine.claims)
        if !strays.isEmpty {
            let found = try await workers.rescue(claims: strays)
            log.warning(
                "took back claims whose answer was lost",
                metadata: ["claims": "\(found.claims)", "returned": "\(found.returned)"])
            await onRescue()
        }
    }
}

/// Other workers declared this worker dead and rescued what it held. It posts nothing more of that and starts again.
public struct DeclaredDead: Error, CustomStringConvertible {
    public var description: String {
        "other workers declared this one dead: its heartbeat stood still for a whole lease"
    }
}
