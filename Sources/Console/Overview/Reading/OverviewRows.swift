import Store

/// What the first page reads. Each part may be missing, and the others are shown.
struct OverviewRows: Sendable {
    /// Without what is pending: `countedHubs` has it.
    var hubs: Part<[SystemStatus.Hub]>
    var workers: Part<[SystemStatus.Worker]>
    var pulse: Part<LatestPulse>
    var minutes: Part<[MinuteCounts]>
    /// The newest `mostRuns` that have not ended.
    var runs: Part<[RunProgress]>
    var schedules: Part<[CampaignStore.ScheduleNote]>
    var failedRuns: Part<[CampaignStore.FailedRun]>
    /// What is wrong with the queue's tables, and what is not.
    var findings: Part<[Finding]>
    var snapshots: Part<[SnapshotHolder]>
    /// What the server is, and how it is set.
    var server: Part<[Finding]>
    var schema: Part<Schema.Standing>
    /// Nil: the person does not approve campaigns.
    var approvals: Part<[CampaignStore.Unapproved]>?

    /// Runs, and campaigns that wait for something, that one page looks at.
    static let mostRuns: Int32 = 50

    /// The hubs with what is pending at each, as far as it is known; empty when they could not be read.
    var countedHubs: [SystemStatus.Hub] {
        var hubs = hubs.value ?? []
        if let pulse = pulse.value?.pulse { hubs.count(as: pulse) }
        return hubs
    }

    /// Nil: the hub had no result in the last hour, or nobody knows.
    func counts(of hub: String) -> MinuteCounts? { minutes.value?.first { $0.hub == hub } }

    /// Why parts are missing.
    var troubles: [Trouble] {
        [
            hubs.trouble, workers.trouble, pulse.trouble, minutes.trouble, runs.trouble, schedules.trouble,
            failedRuns.trouble, findings.trouble, snapshots.trouble, server.trouble, schema.trouble, approvals?.trouble,
        ].compactMap(\.self)
    }
}
