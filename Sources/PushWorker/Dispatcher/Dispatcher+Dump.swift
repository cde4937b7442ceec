import HTTPTransport
import Logging

extension Dispatcher.Progress {
    /// Logs the state of the worker: a line for itself, one for each hub, one for each hub with devices in flight, and one
    /// for each claim it holds, the oldest first. Lines that need no answer of an actor come first, so that a stuck worker
    /// still logs most of them.
    ///
    /// - Parameter limit: claims of one lane at most; the others are only counted.
    public func dump(to log: Logger, claims limit: Int = 20) async {
        let use = database.use
        let counters = transport.counters
        log.notice(
            "state: worker",
            metadata: [
                "worker": .stringConvertible(worker), "in_flight": .stringConvertible(inFlight),
                "beat_seconds_ago": .stringConvertible(heartbeat.age),
                "lease_fresh": .stringConvertible(heartbeat.isFresh),
                "database_connections": "\(use.out + use.ready) of \(use.limit)",
                "database_busy": .stringConvertible(use.out), "database_waiting": .stringConvertible(use.waiting),
                "transport_requests": .stringConvertible(counters.requests),
                "transport_cpu_seconds": .stringConvertible(counters.cpuSeconds),
            ])
        for hub in hubs { dump(hub, to: log) }
        for lane in deviceLanes { dump(lane, to: log) }
        for lane in lanes { dump(lane, to: log, limit) }
        let backlog = await recorder.backlog
        let (idle, resting, isAsleep) = await (poller.idleLanes, poller.restingLanes, poller.isAsleep)
        log.notice(
            "state: results",
            metadata: [
                "unwritten": .stringConvertible(backlog.entries), "room": .stringConvertible(Recorder.capacity),
                "statement_seconds": backlog.writing.map { .stringConvertible($0) } ?? "none",
                "faults": .stringConvertible(backlog.faults),
                "lanes_waiting_for_room": .stringConvertible(backlog.lanes), "lanes_idle": "\(idle) of \(lanes.count)",
                "lanes_resting": .stringConvertible(resting),
                "asleep": .stringConvertible(isAsleep),
            ])
        for connection in await transport.connections() { dump(connection, to: log) }
    }

    private func dump(_ connection: HTTP2Facts, to log: Logger) {
        log.notice(
            "state: connection",
            metadata: [
                "origin": "\(connection.origin)", "streams": .stringConvertible(connection.streams),
                "allowed": connection.allowed.map { .stringConvertible($0) } ?? "unknown",
                "carried": .stringConvertible(connection.carried),
                "age_seconds": .stringConvertible(connection.ageSeconds.rounded()),
                "retired": .stringConvertible(connection.isRetired),
            ])
    }

    private func dump(_ hub: HubContext, to log: Logger) {
        let now = clock.monotonic()
        let report = hub.report(now: now)
        let gate = hub.gate.read { $0 }
        let opens = gate.opens(after: now)
        log.notice(
            "state: hub",
            metadata: [
                "hub": "\(hub.settings.name)",
                "gate": "\(opens <= 0 ? "open" : opens.isInfinite ? "closed" : "closed for \(Self.seconds(opens)) s")",
                "held": "\(gate.held ?? "no")", "paused_by": "\(gate.pausedBy ?? "none")",
                "failures": .stringConvertible(gate.breaker.failures),
                "pauses": .stringConvertible(gate.breaker.openings),
                "window": .stringConvertible(report.window), "in_flight": .stringConvertible(report.inFlight),
                "answers_per_second": .stringConvertible(report.rate), "key": "\(report.key)",
                // Not "token": a value under that name would be masked.
                "signature_ends_in":
                    "\(report.tokenExpiresAt.map { "\(Int($0 - clock.wall())) s" } ?? "none is signed")",
                "clock_ahead_seconds": report.skewSeconds.map { .stringConvertible($0) } ?? "unknown",
            ])
    }

    private func dump(_ lane: DeviceLane, to log: Logger) {
        let inFlight = lane.devicesInFlight
        guard inFlight > 0 else { return }
        log.notice(
            "state: devices",
            metadata: [
                "hub": "\(lane.hub.settings.name)", "in_flight": .stringConvertible(inFlight),
                "window": .stringConvertible(lane.hub.settings.deviceWindow),
                "ended": .stringConvertible(lane.health.counts.ended),
            ])
    }

    private func dump(_ lane: Lane, to log: Logger, _ limit: Int) {
        let open = lane.inFlight.openClaims
        for claim in open.prefix(limit) {
            log.notice(
                "state: claim",
                metadata: [
                    "hub": "\(lane.hub.settings.name)", "priority": "\(lane.priority)",
                    "claim": .stringConvertible(claim.claim),
                    "in_flight": .stringConvertible(claim.inFlight),
                    "age_seconds": .stringConvertible(clock.monotonic() - claim.openedAt),
                ])
        }
        guard open.count > limit else { return }
        log.notice(
            "state: more claims",
            metadata: [
                "hub": "\(lane.hub.settings.name)", "priority": "\(lane.priority)",
                "more": .stringConvertible(open.count - limit),
            ])
    }

    private static func seconds(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
