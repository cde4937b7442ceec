import PushModel
import Store
import Telemetry

/// What a pulse says as metrics, with zeros for what is empty.
extension DatabasePulse {
    func collect(into reading: inout MetricsReading) {
        for hub in hubs {
            reading.set(0, of: .inDoubtMessages, hub)
            reading.set(0, of: .devicesWaiting, hub)
            for priority in 0...2 {
                reading.set(0, of: .backlogMessages, hub, "\(priority)")
                reading.set(0, of: .backlogIsCapped, hub, "\(priority)")
                reading.set(0, of: .oldestDue, hub, "\(priority)")
            }
        }
        for lane in lanes {
            let priority = "\(lane.priority)"
            reading.set(Double(lane.due), of: .backlogMessages, lane.hub, priority)
            reading.set(lane.moreDue ? 1 : 0, of: .backlogIsCapped, lane.hub, priority)
            reading.set(lane.waiting ?? 0, of: .oldestDue, lane.hub, priority)
        }
        for doubt in inDoubt { reading.set(Double(doubt.messages), of: .inDoubtMessages, doubt.hub) }
        for devices in devices { reading.set(Double(devices.waiting), of: .devicesWaiting, devices.hub) }
        reading.set(Double(workers.alive), of: .workers)
        if let oldest = workers.oldestBeat { reading.set(oldest, of: .oldestBeat) }
        reading.set(Double(defaultRows), of: .defaultPartitionRows)
        reading.set(snapshotHeld, of: .snapshotHeld)
        reading.set(resultsHeld, of: .resultsHeld)
        reading.set(Double(campaignsUnapproved), of: .campaignsUnapproved)
        for run in runs { run.collect(into: &reading) }
        reading.set(Double(runsOmitted), of: .runsOmitted)
        reading.set(Double(runsPausedByThemselves), of: .runsPausedByThemselves)
    }
}

extension DatabasePulse.Run {
    /// Those that are not final.
    private static let states = RunState.allCases.filter { !$0.isOver }.map(\.rawValue)
    /// `open`, and those of `push.status` that are final.
    private static let statuses = ["open", "accepted", "rejected", "expired", "cancelled", "in_doubt"]

    fileprivate func collect(into reading: inout MetricsReading) {
        for known in Self.states { reading.set(known == state ? 1 : 0, of: .runState, campaign, run, known) }
        guard let messages else { return }
        for status in Self.statuses {
            reading.set(Double(messages[status] ?? 0), of: .runMessages, campaign, run, status)
        }
    }
}
