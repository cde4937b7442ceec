import Concurrency
import Postgres
import Store

extension Dispatcher.Parts {
    /// Works until `stop` returns or the worker has to register again; then ends part after part.
    ///
    /// - Returns: why it has to register again; nil: it was stopped.
    func run(until stop: @escaping @Sendable (Dispatcher.Progress) async -> Void) async -> BeginAnew? {
        for hub in hubs { await context.effects.apply(hub.passes.trouble, to: hub) }
        await context.poller.begin()
        for lane in lanes { await lane.rest() }
        for lane in deviceLanes { await lane.rest() }
        let (limitedHubs, limited) = AsyncStream.makeStream(of: HubContext.self)
        for hub in hubs { hub.whenLimited { _ = limited.yield($0) } }
        let progress = progress
        return await withTaskGroup(of: PartEnd.self) { group in
            var parts = RunningParts()
            begin(&parts, in: &group, limitedHubs, progress)
            parts.begin(.stop, in: &group) { await stop(progress) }
            let beginAnew = await parts.untilStop(of: &group)
            context.log.notice("stopping", metadata: ["in_flight": .stringConvertible(progress.inFlight)])
            for step in shutdown(limited) {
                await step.begin()
                await parts.until(step.ends, of: &group)
            }
            // The others end by that: the heartbeat, which goes on while we drain, because that may last longer than a
            // lease; the log of endings; and `stop`.
            group.cancelAll()
            return beginAnew
        }
    }

    /// What runs side by side.
    private func begin(
        _ parts: inout RunningParts, in group: inout TaskGroup<PartEnd>, _ limitedHubs: AsyncStream<HubContext>,
        _ progress: Dispatcher.Progress
    ) {
        let deviceLaneOfHub = Dictionary(uniqueKeysWithValues: deviceLanes.map { ($0.hub.id, $0) })
        parts.begin(.recorder, in: &group) { await context.recorder.run() }
        parts.begin(.endingLog, in: &group) { await context.events.endings.run() }
        parts.begin(.poller, in: &group) { await context.poller.run() }
        parts.begin(.devicePoller, in: &group) { await devicePoller.run() }
        parts.begin(.listener, in: &group) { await listener?.run() }
        parts.begin(.passes, in: &group) {
            await withDiscardingTaskGroup { group in
                for hub in hubs {
                    group.addTask { await hub.passes.keepReady { await context.effects.apply($0, to: hub) } }
                }
            }
        }
        parts.begin(.limiters, in: &group) {
            await limitedHubs.sideBySide {
                await RateLimiter(hub: $0, hubs: context.hubs, log: context.log).run()
            }
        }
        parts.begin(.lanes, in: &group) {
            await context.poller.dueLanes.sideBySide { await lanes[$0.lane].run(from: $0.cursor) }
        }
        parts.begin(.deviceLanes, in: &group) {
            await devicePoller.dueLanes.sideBySide { await deviceLaneOfHub[$0.hub]?.run(from: $0.cursor) }
        }
        parts.beginHeartbeat(in: &group) { () async throws(BeginAnew) in
            try await context.heartbeat.run(
                lowestClaim: lowestClaim, doing: { await progress.line() }, trouble: { progress.trouble?.words })
        }
    }

    /// The way out, step by step.
    private func shutdown(_ limited: AsyncStream<HubContext>.Continuation) -> [ShutdownStep] {
        [
            ShutdownStep {
                context.stop()
                await context.poller.end()
                await devicePoller.end()
                await drain()
            },
            ShutdownStep(ends: [.lanes, .deviceLanes]) {
                await context.recorder.stopWaiting()
                await transport.shutdown()
            },
            ShutdownStep(ends: [.limiters]) {
                limited.finish()
                for hub in hubs { hub.window.endOfRate() }
            },
            ShutdownStep(ends: [.recorder]) { await context.recorder.end() },
            ShutdownStep(ends: [.poller, .devicePoller, .listener]) { await listener?.close() },
        ]
    }

    /// Waits until every post has its answer and everything is recorded, at most `drainSeconds`.
    private func drain() async {
        let clock = context.clock
        let until = clock.monotonic() + context.settings.drainSeconds
        while clock.monotonic() < until,
            !lanes.allSatisfy(\.inFlight.isEmpty) || !deviceLanes.allSatisfy(\.isIdle)
        {
            for hub in hubs { hub.window.turnAway() }  // nothing more leaves, so no lane has to wait for places
            // When cancelled, the transport's shutdown answers everything in flight.
            await Sleep.system(0.005)
        }
    }

    /// Signs off.
    ///
    /// - Returns: whether nothing of ours was left behind.
    func leave() async -> Bool {
        do {
            let found = try await workers.rescue(me)
            if !found.failed.isEmpty {
                context.log.error(
                    "claims of ours cannot be given back; push.claim.trouble says why",
                    metadata: [
                        "claims": .array(found.failed.map { .stringConvertible($0) }),
                        "error": "\(found.failure ?? "")",
                    ])
            }
            return found.claims == 0 && found.failed.isEmpty
        } catch {
            context.log.error(
                "could not sign off; another worker will rescue what is left", metadata: ["error": "\(error)"])
            return false
        }
    }

    /// - Parameter isClean: whether nothing of ours was left behind.
    func summary(isClean: Bool) async -> Dispatcher.Summary {
        let counts = await context.recorder.counts
        var summary = Dispatcher.Summary()
        summary.posts = counts.posts
        summary.accepted = counts.accepted
        summary.rejected = counts.rejected
        summary.expired = counts.expired
        summary.inDoubt = counts.inDoubt
        summary.retrying = counts.retrying
        for lane in deviceLanes { summary.devices += lane.health.counts }
        summary.clean = isClean
        return summary
    }
}
