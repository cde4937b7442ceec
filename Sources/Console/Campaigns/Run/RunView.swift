import PushModel
import Store

/// What `/campaigns/NAME/runs/KEY` shows: the template `run`. A part that could not be read is left out; a banner says why. Pure.
struct RunView {
    let runState: RunStateView
    let runActions: RunActionsView?
    let runCounts: RunCountsView
    let runFailures: RunFailuresView?
    let runHubs: RunHubsView?
    let runZones: RunZonesView?
    let runBounds: RunBoundsView?
    let runMinutes: RunMinutesView?

    init(_ run: RunReference, _ progress: RunProgress, _ rows: RunRows, for visit: Visit) {
        let standing = RunStanding(progress: progress, failures: rows.failures.value ?? [])
        runState = RunStateView(progress, for: visit)
        runActions = RunActionsView(run, standing, for: visit)
        runCounts = RunCountsView(progress, for: visit)
        runFailures = rows.failures.value.flatMap { RunFailuresView(run, $0, standing, for: visit) }
        runHubs = rows.hubs.value.map { RunHubsView($0, isOver: progress.state.isOver, for: visit) }
        runZones = rows.zones?.value.flatMap { RunZonesView($0, at: visit.now) }
        runBounds = (rows.bounds?.value ?? nil).flatMap { RunBoundsView($0, state: progress.state, at: visit.now) }
        runMinutes = rows.minutes?.value.flatMap { RunMinutesView($0) }
    }
}
